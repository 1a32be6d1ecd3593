import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "@platform/test-support/clone";
import { expect, test } from "vitest";

/** Reads JSON whose comments have a line of their own. */
function read(file: string): unknown {
  return JSON.parse(readFileSync(join(root, file), "utf8").replaceAll(/^\s*\/\/.*$/gm, ""));
}

test("the editor's schemas and the files they validate exist", () => {
  const { "yaml.schemas": schemas } = read(".vscode/settings.json") as { "yaml.schemas": Record<string, string> };
  expect(Object.values(schemas)).toContain("/openapi/openapi.yaml");
  const files = Object.entries(schemas).flat();
  expect(files.filter((file) => !existsSync(join(root, file)))).toEqual([]);
});

test("the editor's tasks run scripts of the repository", () => {
  const { tasks } = read(".vscode/tasks.json") as { tasks: { command: string }[] };
  const { scripts } = read("package.json") as { scripts: object };
  const names = tasks.map(({ command }) => /^npx -y pnpm@12\.21\.0 (\S+)/.exec(command)?.[1] ?? command);
  expect(names).toContain("dev");
  expect(names.filter((name) => !(name in scripts))).toEqual([]);
});

test("the development container installs the recommended extensions", () => {
  const { customizations } = read(".devcontainer/devcontainer.json") as {
    customizations: { vscode: { extensions: string[] } };
  };
  const { recommendations } = read(".vscode/extensions.json") as { recommendations: string[] };
  expect(customizations.vscode.extensions).toEqual(recommendations);
});
