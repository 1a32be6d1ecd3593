import { execFile, execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { temporaryFolder } from "@platform/test-support/temporary";
import { beforeEach, describe, expect, test } from "vitest";
import { startGitHub } from "./github-server.ts";

const MAIN = resolve(import.meta.dirname, "../src/bin/openapi-contract.ts");

let folder: string;
beforeEach(async () => {
  folder = await temporaryFolder();
  git("init", "--quiet");
});

const git = (...words: string[]) =>
  execFileSync("git", ["-C", folder, "-c", "user.name=test", "-c", "user.email=test@localhost", ...words]);
const write = (file: string, text: string) => {
  mkdirSync(dirname(join(folder, file)), { recursive: true });
  writeFileSync(join(folder, file), text);
};
const commit = () => {
  git("add", ".");
  git("commit", "--quiet", "--message=all");
};
const contract = (maximum = 100) => `openapi: 3.1.1
info: { title: Things, version: 1.0.0, license: { name: MIT, identifier: MIT } }
servers: [{ url: https://things.test/v1 }]
security: []
paths:
  /things:
    get:
      operationId: listThings
      summary: Lists things.
      parameters: [{ name: limit, in: query, schema: { type: integer, maximum: ${maximum} } }]
      responses: { "200": { description: Things. }, "400": { description: Invalid. } }
`;
const LIST = `contracts:
  - { name: Billing, contract: billing/api.yaml }
  - contract: services/*/openapi.yaml
`;

async function run(words: string[], env: Record<string, string> = {}, cwd = folder) {
  const outside = Object.entries(process.env).filter(([name]) => !name.startsWith("GITHUB_"));
  return new Promise<{ status: number | null; stdout: string; stderr: string }>((done) => {
    const options = { cwd, env: { ...Object.fromEntries(outside), ...env } };
    const child = execFile(process.execPath, [MAIN, ...words], options, (_error, stdout, stderr) =>
      done({ status: child.exitCode, stdout, stderr }),
    );
  });
}

describe("with the contracts of contracts.yaml", () => {
  beforeEach(() => {
    write("contracts.yaml", LIST);
    for (const path of ["billing/api.yaml", "services/orders/openapi.yaml", "services/users/openapi.yaml"])
      write(path, contract());
    commit();
  });

  test("diff reports each in one report, the most severe first, and fails for the worst", async () => {
    write("billing/api.yaml", contract(200));
    write("services/users/openapi.yaml", contract(50));
    const { status, stdout } = await run(["diff", "HEAD", "--fail-on", "breaking"]);
    expect(stdout).toMatch(
      /^services\/users\/openapi\.yaml\n\n +breaking +GET \/things: .*\(services\/users\/openapi\.yaml:10\)\n\nBilling\n\n +additive +GET .*\n\nUnchanged: services\/orders\/openapi\.yaml\n$/,
    );
    expect(status).toBe(1);
    expect((await run(["diff", "HEAD", "--format", "markdown"])).stdout).toMatch(
      /^# services\/users\/openapi\.yaml\n\n## The contract changes: 1 breaking\n[^]*\n\n# Billing\n\n## [^]*\n\nUnchanged: services\/orders/,
    );
    expect(await run(["diff", "HEAD", "--contract", "Billing", "--fail-on", "breaking"])).toEqual({
      status: 0,
      stdout: expect.stringMatching(/^Billing\n\n +additive +GET \/things: .*\n$/) as string,
      stderr: "",
    });
    expect((await run(["diff", "billing/api.yaml"])).stderr).toContain(
      "contracts.yaml has several contracts, and billing/api.yaml is for one. Name it with --contract.",
    );
  });

  test("programs get one list of entries, each with its contract, also from a folder below", async () => {
    write("services/users/openapi.yaml", contract(50));
    const summary = { GITHUB_STEP_SUMMARY: join(folder, "summary.md") };
    const { stdout } = await run(["diff", "HEAD", "--format", "json"], summary, join(folder, "billing"));
    expect(JSON.parse(stdout)).toMatchObject({
      entries: [{ contract: "services/users/openapi.yaml", impact: "breaking", place: "GET /things" }],
    });
    expect(existsSync(summary.GITHUB_STEP_SUMMARY)).toBe(false);
    expect((await run(["diff", "HEAD", "--format", "github"])).stdout).toMatch(
      /^::error file=services\/users\/openapi\.yaml,line=10,title=services\/users\/openapi\.yaml%3A breaking::GET \/things: .*\n$/,
    );
  });

  test("diff reports one that is new, gone, moved, or no longer listed", async () => {
    rmSync(join(folder, "services/orders"), { recursive: true });
    write("services/new/openapi.yaml", contract());
    git("mv", "billing/api.yaml", "billing/v1.yaml");
    write("billing/v1.yaml", contract(200));
    write("contracts.yaml", LIST.replace("api.yaml", "v1.yaml").replace("services/*", "services/new"));
    write("services/users/openapi.yaml", contract(50));
    const entries = (JSON.parse((await run(["diff", "HEAD", "--format", "json"])).stdout) as { entries: object[] })
      .entries;
    expect(entries).toMatchObject([
      { contract: "Billing", impact: "additive", place: "GET /things" },
      { contract: "services/new/openapi.yaml", impact: "additive", message: expect.stringContaining("is added") },
      { contract: "services/orders/openapi.yaml", impact: "breaking", message: expect.stringContaining("is removed") },
      { contract: "services/users/openapi.yaml", impact: "breaking", place: "GET /things" },
    ]);
  });

  test("a list that is invalid at the base can be mended", async () => {
    write("contracts.yaml", "contracts: [");
    commit();
    write("contracts.yaml", LIST);
    expect(await run(["diff", "HEAD"])).toEqual({
      status: 0,
      stdout: "Unchanged: Billing, services/orders/openapi.yaml, services/users/openapi.yaml\n",
      stderr: "",
    });
  });

  test("diff without a base compares with the base of the entry, or else with the last release beside the contract", async () => {
    write("contracts.yaml", LIST.replace("api.yaml", "api.yaml, base: HEAD"));
    write("billing/api.yaml", contract(50));
    write("services/users/released/1.0.0.yaml", contract(20));
    expect(JSON.parse((await run(["diff", "--format", "json"])).stdout)).toMatchObject({
      entries: [
        { contract: "Billing", impact: "breaking", place: "GET /things" },
        { contract: "services/orders/openapi.yaml", place: "the contract" },
        { contract: "services/users/openapi.yaml", impact: "additive", place: "GET /things" },
      ],
    });
  });

  test("release and changelog have the folder and the name of the entry", async () => {
    const { stdout, stderr } = await run(["release", "--contract", "Billing"]);
    expect(stdout + stderr).toContain("Released as billing/released/api/1.0.0.yaml.");
    expect((await run(["diff", "--contract", "Billing"])).stdout).toContain("Unchanged: Billing");
    const current = await run(["changelog", "--check", "--contract", "billing/api.yaml"]);
    expect(current.stdout).toBe("billing/CHANGELOG.md is up to date.\n");
  });

  test("lint and check report each once, with the rules beside it or in the root", async () => {
    write("contracts.yaml", `${LIST}  - { name: Users, contract: services/users/openapi.yaml }\n`);
    write("redocly.yaml", "rules: { no-identical-paths: error }\n");
    write("services/users/redocly.yaml", "rules: { operation-description: error }\n");
    const { status, stdout } = await run(["lint"]);
    expect(stdout).toMatch(
      /^Users\n\nfailed {2}lint\n +services\/users\/openapi\.yaml:7 .*\(operation-description\)\n\nPassed: Billing, services\/orders\/openapi\.yaml\n$/,
    );
    expect(stdout.match(/^failed/gm)).toHaveLength(1);
    expect(status).toBe(1);
    const { passed, checks } = JSON.parse((await run(["check", "--format", "json"])).stdout) as {
      passed: boolean;
      checks: object[];
    };
    expect(passed).toBe(false);
    expect(checks).toContainEqual(
      expect.objectContaining({ contract: "Billing", name: "compatibility", findings: [] }),
    );
    expect((await run(["check", "--format", "junit"])).stdout).toContain('name="Billing: compatibility"');
  });

  test("diff --comment writes all of them to one comment of the pull request, and to the summary of the job", async () => {
    const { state, url } = await startGitHub();
    write("event.json", JSON.stringify({ pull_request: { number: 12, head: { repo: { full_name: "shop/api" } } } }));
    write("billing/api.yaml", contract(50));
    const env = {
      GITHUB_API_URL: url,
      GITHUB_EVENT_PATH: join(folder, "event.json"),
      GITHUB_REPOSITORY: "shop/api",
      GITHUB_STEP_SUMMARY: join(folder, "summary.md"),
      GITHUB_TOKEN: "secret",
    };
    const words = [
      "diff",
      "HEAD",
      "--format",
      "github",
      "--fail-on",
      "breaking",
      "--comment",
      "--labels",
      "breaks, api",
    ];
    expect(await run(words, env)).toMatchObject({
      status: 1,
      stderr: "Added https://github.example/shop/api/pull/12#1\n",
    });
    const summary = readFileSync(env.GITHUB_STEP_SUMMARY, "utf8");
    expect(summary).toContain("# Billing\n\n## The contract changes: 1 breaking");
    expect(state.comments[0]!.body).toContain(summary.trim());
    expect(state.labels).toEqual(["breaks", "api"]);
  });
});

test.each([
  ["", "contracts.yaml:1  contracts: Invalid input: expected array, received undefined."],
  [
    'contracts: [{ contract: a.yaml, name: "A\\n::error::" }]',
    "contracts.yaml:1  contracts.0.name: Write one line of text.",
  ],
  ["contracts: []", "contracts.yaml:1  contracts: Too small: expected array to have >=1 items."],
  [
    "contracts:\n  - name: A",
    "contracts.yaml:2  contracts.0.contract: Invalid input: expected string, received undefined.",
  ],
  ["contracts:\n  - { contract: a.yaml, file: b }", 'contracts.yaml:2  contracts.0: Unrecognized key: "file".'],
  ["contracts:\n  - contract: ../a.yaml", "contracts.yaml:2  contracts.0.contract: The path leads out of the folder"],
  [
    "contracts:\n  - { contract: '*.yaml', name: A }",
    "contracts.yaml:2  contracts.0: An entry with a pattern cannot have other keys",
  ],
  ["contracts: [{ contract: a.yaml }, { contract: b.yaml, name: a.yaml }]", "contracts.yaml has a.yaml twice."],
  ["contracts: [{ contract: none/*.yaml }]", "No file matches the patterns in contracts.yaml."],
  ["contracts: [", 'contracts.yaml:1  A bracket above is not closed. Add "]".'],
])("the configuration %j is refused with its place", async (text, message) => {
  write("contracts.yaml", text);
  const { status, stderr } = await run(["lint"]);
  expect(stderr).toContain(message);
  expect(status).toBe(1);
});

test("one contract that is new in a pull request is reported as added, and one that is gone as removed", async () => {
  write("README.md", "");
  commit();
  write("openapi/openapi.yaml", contract());
  expect((await run(["diff", "HEAD"])).stdout).toMatch(/^ +additive +the contract: The contract is added\./);
  commit();
  rmSync(join(folder, "openapi"), { recursive: true });
  expect(await run(["diff", "HEAD", "--fail-on", "breaking"])).toMatchObject({
    status: 1,
    stdout: expect.stringMatching(/^ +breaking +the contract: The contract is removed\./) as string,
  });
  expect((await run(["diff", "HEAD", "--contract", "api.yaml"])).stderr).toBe(
    "There is no contract api.yaml to compare.\n",
  );
});
