import { execFile, execFileSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { delimiter, join, resolve } from "node:path";
import { needsPosix } from "@platform/test-support/machine";
import { temporaryFolder } from "@platform/test-support/temporary";
import { beforeEach, describe, expect, test } from "vitest";
import { parse } from "yaml";
import { startGitHub } from "./github-server.ts";

const ROOT = resolve(import.meta.dirname, "../../..");
const MAIN = join(ROOT, "packages/openapi-contract/src/bin/openapi-contract.ts");

interface Action {
  inputs: Record<string, { default: string }>;
  runs: { steps: { run?: string; if?: string; env?: Record<string, string> }[] };
}
const action = parse(readFileSync(join(ROOT, ".github/actions/contract/action.yml"), "utf8")) as Action;

const contract = (maximum: number) => `openapi: 3.1.1
info: { title: Things, version: 1.0.0 }
paths:
  /things:
    get:
      operationId: listThings
      parameters: [{ name: limit, in: query, schema: { type: integer, maximum: ${maximum} } }]
      responses: { "200": { description: Things. } }
`;

/** A pull request: the branch `origin/main` has moved on since it began. */
let folder: string;
let base: string;
let env: Record<string, string>;
beforeEach(async (context) => {
  needsPosix(context, "bash");
  folder = await temporaryFolder();
  const repository = join(folder, "repository");
  const git = (...words: string[]) =>
    execFileSync("git", ["-C", repository, "-c", "user.name=test", "-c", "user.email=test@localhost", ...words], {
      encoding: "utf8",
    }).trim();
  const commit = (file: string, text: string) => {
    writeFileSync(join(repository, file), text);
    git("add", ".");
    git("commit", "--quiet", "--message=all");
  };
  mkdirSync(join(repository, "openapi"), { recursive: true });
  git("init", "--quiet", "--initial-branch=main");
  writeFileSync(join(repository, "redocly.yaml"), "rules: { no-identical-paths: error }\n");
  commit("openapi/openapi.yaml", contract(100));
  base = git("rev-parse", "HEAD");
  git("checkout", "--quiet", "-b", "change");
  commit("openapi/openapi.yaml", contract(50));
  git("checkout", "--quiet", "main");
  commit("openapi/openapi.yaml", contract(200));
  git("update-ref", "refs/remotes/origin/main", "main");
  git("checkout", "--quiet", "change");

  // What `npx` would install.
  writeFileSync(join(folder, "npx"), `#!/bin/sh\nshift 2\nexec "${process.execPath}" "${MAIN}" "$@"\n`);
  chmodSync(join(folder, "npx"), 0o755);
  const outside = Object.entries(process.env).filter(([name]) => !name.startsWith("GITHUB_"));
  env = { ...(Object.fromEntries(outside) as typeof env), PATH: `${folder}${delimiter}${process.env["PATH"]}` };
});

async function bash(script: string, more: Record<string, string>) {
  const words = ["-eo", "pipefail", "-c", script];
  return new Promise<{ status: number | null; stdout: string; stderr: string }>((done) => {
    const options = { cwd: join(folder, "repository"), env: { ...env, ...more } };
    const child = execFile("bash", words, options, (_error, stdout, stderr) =>
      done({ status: child.exitCode, stdout, stderr }),
    );
  });
}

describe("the action", () => {
  beforeEach(async () => {
    const { state, url } = await startGitHub();
    github = state;
    writeFileSync(
      join(folder, "event.json"),
      JSON.stringify({ pull_request: { number: 12, head: { repo: { full_name: "shop/api" } } } }),
    );
    Object.assign(env, {
      GITHUB_API_URL: url,
      GITHUB_BASE_REF: "main",
      GITHUB_EVENT_PATH: join(folder, "event.json"),
      GITHUB_REPOSITORY: "shop/api",
      GITHUB_STEP_SUMMARY: join(folder, "summary.md"),
    });
  });
  let github: Awaited<ReturnType<typeof startGitHub>>["state"];

  /** Runs its steps with inputs as a runner does, and returns the result of each. */
  async function run(inputs: Record<string, string> = {}) {
    const valueOf = (text: string) =>
      text.replace(/\$\{\{ inputs\.([\w-]+) \}\}/, (_, name: string) => inputs[name] ?? action.inputs[name]!.default);
    const results = [];
    for (const { run: script, if: condition, env: own = {} } of action.runs.steps) {
      if (script === undefined || (condition?.includes("inputs.check != ''") && inputs["check"] === "")) continue;
      const values = Object.entries(own).map(([name, text]) => [
        name,
        valueOf(text).replace("${{ github.token }}", "secret"),
      ]);
      results.push(await bash(script, Object.fromEntries(values) as Record<string, string>));
    }
    return results;
  }

  test("compares with the commit from which the pull request begins, annotates, comments, labels and fails", async () => {
    const [diff, lint] = await run();
    expect(diff).toEqual({
      status: 1,
      stdout: expect.stringMatching(
        /^::error file=openapi\/openapi\.yaml,line=7,title=breaking::.* from 100 to 50\..*\n$/,
      ) as string,
      stderr: "Added https://github.example/shop/api/pull/12#1\n",
    });
    expect(lint).toEqual({ status: 0, stdout: "", stderr: "" });
    expect(github.comments[0]!.body).toContain("from 100 to 50");
    expect(github.labels).toEqual(["breaking change", "contract change"]);
    expect(readFileSync(env["GITHUB_STEP_SUMMARY"]!, "utf8")).toContain("## The contract changes: 1 breaking");
  });

  test("takes its inputs as they are, also those that a shell would run", async () => {
    const hostile = '"; touch hostile; $(touch hostile) `touch hostile`';
    const [diff] = await run({ contract: hostile, base: hostile, check: "", labels: hostile });
    expect(diff!.status).toBe(1);
    expect(existsSync(join(folder, "repository/hostile"))).toBe(false);
    const results = await run({
      base: "HEAD",
      comment: "false",
      "fail-on": "",
      check: "",
      contract: "openapi/openapi.yaml",
    });
    expect(results).toEqual([{ status: 0, stdout: "", stderr: "" }]);
    expect(github.writes).toEqual([]);
  });

  test("names the depth of the checkout if the base is missing", async () => {
    env["GITHUB_BASE_REF"] = "none";
    const [diff] = await run({ check: "" });
    expect(diff).toMatchObject({ status: 1, stdout: expect.stringContaining("Check out with fetch-depth 0") });
  });
});

test("the job for GitLab in the guide reports the changes and the rules, and fails", async () => {
  const guide = readFileSync(join(ROOT, "packages/openapi-contract/docs/pull-requests.md"), "utf8");
  const job = /```yaml\n(contract:\n[^]*?)```/.exec(guide)![1]!;
  const { script } = (parse(job) as { contract: { script: [string] } }).contract;
  const { status, stdout } = await bash(script[0], { CI_MERGE_REQUEST_DIFF_BASE_SHA: base });
  expect({ status, stdout }).toEqual({
    status: 1,
    stdout: expect.stringContaining("## The contract changes: 1 breaking"),
  });
  expect(readFileSync(join(folder, "repository/lint.xml"), "utf8")).toContain(
    '<testsuite name="openapi-contract" tests="1" failures="0">',
  );
});
