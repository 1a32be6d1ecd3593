import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { root as repository } from "@platform/test-support/clone";
import { isPosix } from "@platform/test-support/machine";
import { expect, onTestFinished, test } from "vitest";
import { parse } from "yaml";
import { serviceFiles } from "../src/create.ts";
import { namesOf } from "../src/names.ts";
import { expectFreeName, fitWorkspace, joinWorkspace, oldNodeIn, workspaceAbove } from "../src/workspace.ts";

function folderWith(files: Record<string, string>): string {
  const folder = mkdtempSync(join(tmpdir(), "workspace-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  for (const [file, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(join(folder, file), text);
  }
  return folder;
}

test.each([
  ["pnpm", { "pnpm-workspace.yaml": "packages: [apps/*]" }],
  ["npm", { "package.json": '{ "workspaces": ["apps/*"] }' }],
  ["yarn", { "package.json": '{ "workspaces": { "packages": ["apps/*"] } }', "yarn.lock": "" }],
  [
    "yarn",
    {
      "package.json": '{ "workspaces": ["apps/*"], "packageManager": "yarn@4.12.0" }',
      ".yarnrc.yml": "enableTelemetry: false\nnodeLinker: node-modules\n",
    },
  ],
])("a workspace of %s is found from a new folder in it", (manager, files: Record<string, string>) => {
  const root = folderWith(files);
  expect(workspaceAbove(join(root, "apps/museum"))).toEqual({ root, manager });
});

test.each([
  { "package.json": '{ "workspaces": ["apps/*"], "packageManager": "yarn@4.12.0" }' },
  { "package.json": '{ "workspaces": ["apps/*"] }', "yarn.lock": "__metadata:\n  version: 8\n" },
  { "package.json": '{ "workspaces": ["apps/*"] }', "yarn.lock": "", ".yarnrc.yml": "nodeLinker: pnp\n" },
])("a workspace of Yarn without node_modules is refused", (files: Record<string, string>) => {
  const root = folderWith(files);
  expect(() => workspaceAbove(join(root, "apps/museum"))).toThrow(
    'Write "nodeLinker: node-modules" to its .yarnrc.yml',
  );
});

test.each([
  ["pnpm", "pnpm start", "pnpm museum keys create", "pnpm-workspace.yaml"],
  ["npm", "npm run start", "npm run museum -- keys create", "package.json"],
  ["yarn", "yarn start", "yarn museum keys create", "package.json"],
] as const)("in a workspace of %s, the README has its commands", async (manager, start, keys, settings) => {
  const workspace = { root: "/shop", manager };
  const { files } = await serviceFiles(namesOf("museum"), join(repository, "openapi/openapi.yaml"), workspace);
  fitWorkspace(files, workspace, "/shop/apps/museum");
  const readme = files.get("README.md")!;
  for (const words of [
    `\n${start}\n`,
    `| \`${keys} `,
    `the packages of the workspace: run \`${manager} install\``,
    settings,
  ])
    expect(readme).toContain(words);
  expect(readme).not.toMatch(/\{\{|undefined|<!--|npx|the repository installs/);
  expect(/\bpnpm\b|\(\w+\/\w+\/node_modules/.test(readme)).toBe(manager === "pnpm");
  expect(files.get(".gitignore")).toContain("data/");
  expect([...files.keys(), readme].join("\n")).not.toContain("Containerfile"); // which builds from the root of a repository
});

test.each([
  ["pnpm", { "pnpm-workspace.yaml": "packages: [apps/*, '!apps/old']" }, "museum"],
  ["npm", { "package.json": '{ "workspaces": ["apps/*"] }' }, "@museum/client"],
  ["yarn", { "package.json": '{ "workspaces": { "packages": ["apps/*"] } }', "yarn.lock": "" }, "@museum/server"],
] as const)("in a workspace of %s, a second service of one name is refused", (manager, files, taken) => {
  const root = folderWith({ ...files, "apps/first/package.json": JSON.stringify({ name: taken }) });
  expect(() => expectFreeName({ root, manager }, "museum")).toThrow(
    `The workspace has a package ${taken} already, in ${join(root, "apps/first")}. Give another name with --name.`,
  );
  expect(() => expectFreeName({ root, manager }, "shop")).not.toThrow();
});

test.skipIf(!isPosix)("the Node that a workspace runs scripts with is named if it is too old", () => {
  const versionAs = (version: string) => {
    const root = folderWith({ "node_modules/.bin/node": `#!/bin/sh\necho ${version}\n` });
    chmodSync(join(root, "node_modules/.bin/node"), 0o755);
    return oldNodeIn(root);
  };
  expect(["v20.9.0", "v22.17.1", "v22.18.0", "v26.1.0"].map(versionAs)).toEqual([
    "20.9.0",
    "22.17.1",
    undefined,
    undefined,
  ]);
});

test("a folder below a package that is no workspace is none", () => {
  const root = folderWith({ "package.json": "{}" });
  expect(workspaceAbove(join(root, "apps/museum"))).toBeUndefined();
});

test("a workspace of pnpm keeps its comments and settings", () => {
  const root = folderWith({ "pnpm-workspace.yaml": "packages:\n  - apps/* # all\noverrides:\n  left-pad: 1.3.0\n" });
  joinWorkspace({ root, manager: "pnpm" }, join(root, "services/museum"), { kysely: "file:a.tgz" });
  joinWorkspace({ root, manager: "pnpm" }, join(root, "services/museum"), {}); // as after a repeated command
  const text = readFileSync(join(root, "pnpm-workspace.yaml"), "utf8");
  expect(text).toContain("apps/* # all");
  expect(parse(text)).toEqual({
    packages: ["apps/*", "services/museum", "services/museum/packages/*", "services/museum/apps/*"],
    overrides: { "left-pad": "1.3.0", kysely: "file:a.tgz" },
    allowBuilds: { "better-sqlite3": false, esbuild: false, "vue-demi": false },
  });
});

test.each([
  ["npm", "devDependencies", ["apps/*"]],
  ["yarn", "resolutions", { packages: ["apps/*"] }],
] as const)("a workspace of %s gets the packages and %s", (manager, field, workspaces) => {
  const root = folderWith({ "package.json": JSON.stringify({ name: "shop", workspaces, [field]: { a: "1" } }) });
  joinWorkspace({ root, manager }, join(root, "museum"), { b: "file:b.tgz" });
  joinWorkspace({ root, manager }, join(root, "museum"), {});
  const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as Record<string, unknown>;
  const packages = ["apps/*", "museum", "museum/packages/*", "museum/apps/*"];
  expect(manifest).toEqual({
    name: "shop",
    workspaces: Array.isArray(workspaces) ? packages : { packages },
    [field]: { a: "1", b: "file:b.tgz" },
  });
});
