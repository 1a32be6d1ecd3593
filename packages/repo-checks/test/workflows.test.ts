import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { repositoryFiles, root } from "./clone.ts";

const commands = repositoryFiles(".github/workflows/*").flatMap((file) => {
  const text = readFileSync(join(root, file), "utf8");
  return Array.from(text.matchAll(/^ +run: npx -y pnpm@12\.21\.0 (.*)$/gm), ([, command = ""]) => [file, command]);
});

test("the workflow of pull requests compares and checks the contract", () => {
  expect(commands.map(([, command]) => command)).toEqual(
    expect.arrayContaining([expect.stringMatching(/^contract diff /), expect.stringMatching(/^contract check /)]),
  );
});

/** Here the commit stands for the base of the pull request. Whether the contract may be merged is not for this test to say. */
test.each(commands)("%s: %s", (_file, command = "") => {
  const { scripts } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
    scripts: Record<string, string>;
  };
  const [name = "", ...words] = command.replace(/ >>.*/, "").replace('"origin/$GITHUB_BASE_REF"', "HEAD").split(" ");
  expect(scripts).toHaveProperty(name);
  const { status, stdout, stderr } = spawnSync("bash", ["-c", `${scripts[name]} ${words.join(" ")}`], {
    cwd: root,
    encoding: "utf8",
  });
  expect(stderr).toBe("");
  expect([0, 1]).toContain(status);
  const shown = words.includes("--github") ? /^(::(error|notice) .*::.+\n)*$/ : /^## \d/;
  expect(stdout).toMatch(shown);
});
