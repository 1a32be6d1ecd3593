import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { startService } from "./petstore.ts";

test("docs/operations/cors.md has the headers of a preflight and of a response", async () => {
  const page = readFileSync(new URL("../docs/operations/cors.md", import.meta.url), "utf8");
  const rows = page.matchAll(/^\| `(Access-Control-[\w-]+)` \| `([^`]+)`/gm);
  await using service = await startService();
  const headers = { Origin: "https://shop.example", "Access-Control-Request-Method": "POST" };
  const preflight = await service.request("/pets", { method: "OPTIONS", key: null, headers });
  const refusal = await service.request("/pets", { key: null, headers });
  const sent = [...preflight.headers, ...refusal.headers].filter(([name]) => name.startsWith("access-control-"));
  expect(Object.fromEntries(Array.from(rows, ([, name, value]) => [name!.toLowerCase(), value]))).toEqual(
    Object.fromEntries(sent),
  );
});
