import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { startService } from "@petstore/server/testing";
import { describe, expect, test } from "vitest";

const folder = join(import.meta.dirname, "..");
const blocks = Array.from(
  readFileSync(join(folder, "README.md"), "utf8").matchAll(/^## (.*)$|^```ts\n([\s\S]*?)^```/gm),
  ([, heading, code]) => ({ heading, code }),
);
const [client, ...examples] = blocks.flatMap(({ code }, index) => {
  const heading = blocks.slice(0, index).findLast((block) => block.heading)?.heading;
  return code === undefined ? [] : [{ heading, code }];
});

describe("each example of the README prints what its comments say", () => {
  test.each([{ ...client!, code: "" }, ...examples])("$heading", async ({ code }) => {
    await using service = await startService();
    const program = client!.code + code;
    const { stdout } = await promisify(execFile)(
      process.execPath,
      ["--input-type=module-typescript", "--eval", program],
      { cwd: folder, env: { ...process.env, PETSTORE_URL: service.baseUrl, PETSTORE_KEY: service.key } },
    );
    const said = Array.from(program.matchAll(/console\.\w+\(.*\); \/\/ (.*)$/gm), ([, comment]) => `${comment}\n`);
    expect(said.length).toBeGreaterThan(0);
    expect(stdout).toBe(said.join(""));
  });
});
