import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { startService } from "@petstore/server/testing";
import { expect, test } from "vitest";

test("the README's example prints what its comments say", async () => {
  await using service = await startService();
  const readme = await readFile(new URL("../README.md", import.meta.url), "utf8");
  const example = /```ts\n([\s\S]*?)```/.exec(readme)![1]!;
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ["--input-type=module-typescript", "--eval", example],
    {
      cwd: fileURLToPath(new URL("..", import.meta.url)),
      env: { ...process.env, PETSTORE_URL: service.baseUrl, PETSTORE_KEY: service.key },
    },
  );
  expect(stdout).toBe("{ id: 1, name: 'Rex', categoryId: 1, status: 'available' }\n1 null\n");
});
