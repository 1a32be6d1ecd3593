import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { startProgram } from "@platform/test-support/program";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openWorkshop, type Workshop } from "./museum.ts";

let workshop: Workshop;
beforeAll(() => {
  workshop = openWorkshop();
  // A workspace has no Node of its own. That of the machine may be older than a service needs.
  workshop.env["PATH"] = [dirname(process.execPath), workshop.env["PATH"]].join(delimiter);
});
afterAll(() => workshop[Symbol.dispose]());

// cspell:ignore yarnpkg
const WORKSPACES = {
  pnpm: {
    command: ["pnpm"],
    install: ["install", "--no-frozen-lockfile", "--prefer-offline"],
    files: { "package.json": "{}", "pnpm-workspace.yaml": "packages:\n  - packages/*\n" },
  },
  npm: {
    command: ["npm"],
    install: ["install", "--prefer-offline", "--no-audit", "--no-fund"],
    files: { "package.json": '{ "private": true, "workspaces": ["packages/*"] }' },
  },
  yarn: {
    command: ["npx", "-y", "@yarnpkg/cli-dist@4.18.1"],
    install: ["install", "--no-immutable"],
    files: {
      "package.json": '{ "private": true, "workspaces": ["packages/*"] }',
      "yarn.lock": "",
      ".yarnrc.yml": "nodeLinker: node-modules\nenableTelemetry: false\n",
    },
  },
};

test.each(Object.entries(WORKSPACES))(
  "a service in a workspace of %s is installed with it, tested, built and started",
  { timeout: 300_000 },
  async (manager, { command: [command, ...first], install, files }) => {
    const root = join(workshop.folder, manager);
    mkdirSync(root);
    for (const [file, text] of Object.entries(files)) writeFileSync(join(root, file), text);
    const printed = workshop.create(`${manager}/apps/museum`, "--contract", "museum.json");
    expect(printed).toContain(`The packages have joined the workspace ${root}. Install it with ${manager} install,`);
    workshop.run(manager, command!, ...first, ...install);
    const folder = join(root, "apps/museum");
    // `test` runs `typecheck`, too.
    const run = (script: string) => workshop.run(folder, command!, ...first, "run", script);
    expect(run("test")).toMatch(/11 skipped/);
    run("build");
    expect(existsSync(join(folder, "apps/server/dist/sbom.cdx.json"))).toBe(manager === "pnpm");
    const start = [folder, root].map((each) => join(each, "node_modules/.bin/start-service")).find(existsSync)!;
    const service = await startProgram([start], { cwd: folder, env: { ...workshop.env, PORT: "0" } });
    expect((await fetch(`${service.baseUrl}/hours`)).status).toBe(501);
    await service.stop("SIGINT");
  },
);
