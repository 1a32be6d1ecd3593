import { execFile } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { cloneEnvironment, cloneInstalled, root } from "@platform/test-support/clone";
import { needsTool } from "@platform/test-support/machine";
import { pnpmPath } from "@platform/test-support/pnpm";
import { postgresUnavailable } from "@platform/test-support/postgres";
import { startProgram } from "@platform/test-support/program";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { applied, blocksOf, brokenPromise, stepsOf } from "./tutorial.ts";

/** Each guide, and a line of the contract of a repository that has followed it. */
const GUIDES = [
  { page: "openapi/changing-an-operation.md", result: "CategoryFilter:" },
  { page: "openapi/updating-and-deleting.md", result: "operationId: updatePet" },
];
const withoutPostgres = await postgresUnavailable();
const contract = read(root, "openapi/openapi.yaml");

/** A reader follows each guide without the loop, in an installed copy of the repository. */
describe.for(GUIDES)("$page", ({ page, result }) => {
  const steps = stepsOf(blocksOf(read(root, page)));
  const clone = cloneInstalled();
  const { directory } = clone;
  const env = { ...cloneEnvironment(), NO_COLOR: "1", PORT: "0", pnpm_config_verify_deps_before_run: "false" };
  const npx = `npx() { test "$1 $2" = "-y pnpm@12.21.0" && PATH="${dirname(pnpmPath())}:$PATH" pnpm "\${@:3}"; }\n`;
  let isBroken = false;
  beforeAll(() => expandLink(join(directory, "node_modules")));
  afterAll(() => clone[Symbol.dispose]());
  beforeEach((context) => {
    context.skip(contract.includes(result), "this repository has followed it");
    context.skip(isBroken, "a step before it failed");
  });
  afterEach(({ task }) => void (isBroken ||= task.result?.state === "fail"));

  test.for(steps)("the reader sees $promise.text", async ({ name, actions, promise }, context) => {
    if (name.includes("postgres")) needsTool(context, withoutPostgres);
    let output = "";
    for (const action of actions) {
      if (action.language === "sh") output = await run(action.text);
      else writeFileSync(join(directory, action.subject!), applied(action, read(directory, action.subject!)));
    }
    expect(brokenPromise(promise.text, output), output).toBeUndefined();
  });

  test("the contract passes its checks", async () => {
    const output = await run("npx -y pnpm@12.21.0 contract check");
    expect(output).toContain("1.1.0 fits what changed since 1.0.0: additive");
  });

  async function run(commands: string): Promise<string> {
    const serve: [string, ...string[]] = [process.execPath, "apps/server/bin/service.js", "serve"];
    const service = commands.includes("try-change") ? await startProgram(serve, { cwd: directory, env }) : undefined;
    const options = { cwd: directory, env: { ...env, PETSTORE_URL: service?.baseUrl } };
    const { stdout } = await promisify(execFile)("bash", ["--norc", "-euo", "pipefail", "-c", npx + commands], options);
    return stdout;
  }
});

function read(folder: string, file: string): string {
  const path = join(folder, file);
  return existsSync(path) ? readFileSync(path, "utf8") : "";
}

/** Replaces a link to a folder with a folder of links. pnpm runs no command where `node_modules` or its own state is a link. */
function expandLink(link: string): void {
  const target = readlinkSync(link);
  rmSync(link);
  mkdirSync(link);
  for (const entry of readdirSync(target).filter((name) => !name.startsWith(".pnpm-")))
    symlinkSync(join(target, entry), join(link, entry));
}
