import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { root } from "@platform/test-support/clone";
import { temporaryFolder } from "@platform/test-support/temporary";
import { expect, test } from "vitest";

/** The name of each published package, by its folder. */
const PUBLISHED = {
  client: "@petstore/client",
  "express-operations": "express-operations",
  "fetch-operations": "fetch-operations",
  "openapi-document": "openapi-document",
};

test.each(Object.entries(PUBLISHED))(
  "the README of %s says how to install its tarball in an empty project",
  { timeout: 300_000 },
  async (folder, name) => {
    const readme = readFileSync(join(root, "packages", folder, "README.md"), "utf8");
    const [pack, install] = Array.from(readme.matchAll(/^```\n(n.*)\n```$/gm), ([, command]) => command!);
    const home = await temporaryFolder();
    const project = join(home, "project");
    await mkdir(project);
    const run = (command: string, cwd: string) =>
      promisify(execFile)("sh", ["-ec", command], { cwd, env: { ...process.env, HOME: home } });
    await run(pack!, root);
    await run(`npm init -y && ${install}`, project);
    const { stdout } = await run(`node --input-type=module -e 'console.log(await import("${name}"))'`, project);
    expect(stdout).toMatch(/^\[Module: null prototype\]/);
  },
);
