import { spawnSync } from "node:child_process";
import { root } from "@platform/test-support/clone";
import { needsTool } from "@platform/test-support/machine";
import { expect, test } from "vitest";

/** The arguments with which each linter checks the workflows without the network, and its origin. */
const LINTERS = {
  zizmor: { words: ["--offline", "--persona=pedantic", ".github"], origin: "PyPI" },
  actionlint: { words: [], origin: "the Go module github.com/rhysd/actionlint/cmd/actionlint" },
};

test.for(Object.entries(LINTERS))("%s reports no problem in the workflows", ([name, { words, origin }], context) => {
  const { status, error, stdout, stderr } = spawnSync(name, words, { cwd: root, encoding: "utf8" });
  needsTool(context, error && `${name} cannot be run (${error.message}); it comes from ${origin}`);
  expect(status, stdout + stderr).toBe(0);
});
