import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "@platform/test-support/clone";
import { needsTool } from "@platform/test-support/machine";
import { expect, test } from "vitest";

const { scripts } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { scripts: Record<string, string> };
const contract = readFileSync(join(root, ".github/workflows/contract.yaml"), "utf8");
const commands = Array.from(
  contract.matchAll(/run: npx -y pnpm@12\.21\.0 (?!install)(.*)$/gm),
  ([, command = ""]) => command,
);

/** The arguments with which each linter checks the workflows and the action without the network, and its origin. */
const LINTERS = {
  zizmor: { words: ["--offline", "--persona=pedantic", ".github"], origin: "PyPI" },
  actionlint: { words: [], origin: "the Go module github.com/rhysd/actionlint/cmd/actionlint" },
};

test.for(Object.entries(LINTERS))("%s reports no problem in the workflows", ([name, { words, origin }], context) => {
  const { status, error, stdout, stderr } = spawnSync(name, words, { cwd: root, encoding: "utf8" });
  needsTool(context, error && `${name} cannot be run (${error.message}); it comes from ${origin}`);
  expect(status, stdout + stderr).toBe(0);
});

/** Exit code 1 passes too: this test is not about the changes of the contract. */
test.each(commands)("%s", (command) => {
  const [name = "", ...options] = command.replace(/ >>.*/, "").split(" ");
  expect(scripts).toHaveProperty(name);
  const { status, stdout, stderr } = spawnSync("bash", ["-c", `${scripts[name]} ${options.join(" ")}`], {
    cwd: root,
    encoding: "utf8",
  });
  expect(stderr).toBe("");
  expect([0, 1]).toContain(status);
  const shown = options.includes("github") ? /^(::(error|warning|notice) .*::.+\n)*$/ : /^## \S/;
  expect(stdout).toMatch(shown);
});
