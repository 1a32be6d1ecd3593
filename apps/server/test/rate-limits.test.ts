import { expect, test } from "vitest";
import { expectError, startService } from "../testing/service.ts";

test("RATE_LIMIT limits the requests of a key, and AUTH_FAILURE_LIMIT the wrong keys from an address", async () => {
  await using service = await startService({ RATE_LIMIT: "1/60", AUTH_FAILURE_LIMIT: "2/60" });
  expect((await service.request("/pets")).headers.get("RateLimit-Policy")).toBe('"default";q=1;w=60');
  await expectError(await service.request("/pets"), 429, "rate_limited");
  for (const key of ["a", "b"]) await expectError(await service.request("/pets", { key }), 401, "unauthorized");
  await expectError(await service.request("/pets", { key: "c" }), 429, "rate_limited");
});
