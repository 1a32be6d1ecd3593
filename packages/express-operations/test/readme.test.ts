import { rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { needsPosix } from "@platform/test-support/machine";
import { afterAll, describe, expect, test } from "vitest";
import { PROBLEM_CODES } from "../src/index.ts";
import { follow, type Page, pages } from "./pages.ts";

/** A folder in the package, so that imports by the package's name resolve to its source. */
const folder = fileURLToPath(new URL("../.turbo/pages", import.meta.url));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test("the README has at most 200 lines, and its complete server fewer than 30", () => {
  const [{ text, steps }] = pages as [Page];
  expect(text.trimEnd().split("\n").length).toBeLessThanOrEqual(200);
  const server = steps.find((step) => "file" in step && step.file === "server.ts") as { text: string };
  expect(server.text.trim().split("\n").length).toBeLessThan(30);
});

/** Programs run without their types. The test of the packed package generates and checks these, and measures costs. */
const commandFor = (command: string) => (/^np[mx] |^node costs/.test(command) ? undefined : command);

describe("each page prints what it says", () => {
  test.for(pages)("$path", async (page, context) => {
    needsPosix(context, "sh");
    expect(await follow({ steps: ownSteps(page), folder: join(folder, page.path), commandFor })).toEqual([]);
  });
});

/** The steps of a page before it installs other packages. The test of the packed package follows the rest. */
function ownSteps({ path, steps }: Page) {
  const install = steps.findIndex((step) => "commands" in step && step.commands[0]!.startsWith("npm install"));
  return path === "README.md" || install === -1 ? steps : steps.slice(0, install);
}

test("the reference has the code of each status", () => {
  const { text } = pages.find(({ path }) => path === "docs/reference.md")!;
  const rows = Array.from(text.matchAll(/^\| (\d{3}) \| `(\w+)` \|$/gm), ([, status, code]) => [status, code]);
  expect(Object.fromEntries(rows)).toEqual({ ...PROBLEM_CODES, 416: "range_not_satisfiable" });
});
