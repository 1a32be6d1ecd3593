import { readFileSync } from "node:fs";
import { join } from "node:path";
import { repositoryFiles, root } from "@platform/test-support/clone";
import { expect, test } from "vitest";

const read = (file: string): string => readFileSync(join(root, file), "utf8");
const TOOLS = ["express-operations", "fetch-operations", "openapi-contract", "openapi-document"];

test("the source of the tools contains each message of openapi/limits.md", () => {
  const source = repositoryFiles(...TOOLS.map((name) => `packages/${name}/src`))
    .map(read)
    .join("\n");
  const rows = read("openapi/limits.md").matchAll(/^\| .* \| .* \| `(.*?)` \| .* \|$/gm);
  const messages = Array.from(rows, ([, message]) => message!);
  expect(messages.length).toBeGreaterThan(30);
  expect(messages.filter((message) => !source.includes(message))).toEqual([]);
});
