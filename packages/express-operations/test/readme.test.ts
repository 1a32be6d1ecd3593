import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { freePort } from "@platform/test-support/machine";
import { expect, test } from "vitest";

test("the README's complete server has fewer than 30 lines, and responds", async () => {
  const readme = await readFile(new URL("../README.md", import.meta.url), "utf8");
  const example = /```ts\n([\s\S]*?)```/.exec(readme)![1]!;
  expect(example.trim().split("\n").length).toBeLessThan(30);

  const port = await freePort();
  const child = spawn(process.execPath, ["--input-type=module-typescript", "--eval", example], {
    cwd: fileURLToPath(new URL("..", import.meta.url)),
    env: { ...process.env, PORT: String(port) },
    stdio: ["ignore", "inherit", "inherit"],
  });
  const ended = once(child, "exit");
  try {
    const get = async (path: string) => {
      const response = await fetch(`http://127.0.0.1:${port}/v1${path}`);
      return [response.status, await response.json()];
    };
    const answer = () => child.exitCode ?? get("/books/1");
    await expect.poll(answer, { timeout: 60_000 }).toEqual([200, { title: "Emma" }]);
    expect(await get("/books/2")).toEqual([404, { code: "no_such_book" }]);
    expect(await get("/books/x")).toMatchObject([400, { code: "invalid_request" }]);
  } finally {
    child.kill();
    await ended;
  }
});
