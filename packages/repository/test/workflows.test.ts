import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { repositoryFiles, root } from "@platform/test-support/clone";
import { needsPosix, needsTool } from "@platform/test-support/machine";
import { temporaryFolder } from "@platform/test-support/temporary";
import { afterEach, describe, expect, test, type TestContext, vi } from "vitest";
import { parse } from "yaml";

interface Job {
  permissions: Record<string, string>;
  steps: { uses?: string; run?: string; with?: Record<string, unknown>; env?: Record<string, string> }[];
}

const files = repositoryFiles(".github/workflows/*", ".github/actions/*/*");
const workflows = repositoryFiles(".github/workflows/*").map((file) => {
  const text = readFileSync(join(root, file), "utf8");
  return { file, text, ...(parse(text) as { on: unknown; permissions: object; jobs: Record<string, Job> }) };
});
const workflow = (name: string) => workflows.find(({ file }) => file === `.github/workflows/${name}.yaml`)!;
const { scripts } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { scripts: Record<string, string> };
const invocation = /npx -y pnpm@12\.21\.0 (.*)$/gm;

test("every action is pinned by a commit hash, with its version in a comment for the update bot", () => {
  const used = files.flatMap((file) =>
    Array.from(readFileSync(join(root, file), "utf8").matchAll(/uses: (?!\.\/)(.*)/g), ([, use]) => `${file} ${use}`),
  );
  expect(used.length).toBeGreaterThan(10);
  expect(used).toContainEqual(expect.stringMatching(/^\.github\/actions\/contract\/action\.yml actions\/setup-node@/));
  expect(used.filter((use) => !/@[0-9a-f]{40} # v\d+\.\d+\.\d+$/.test(use))).toEqual([]);
});

test("every folder that the update bot looks into exists", () => {
  const { updates } = parse(readFileSync(join(root, ".github/dependabot.yml"), "utf8")) as {
    updates: { directory?: string; directories?: string[] }[];
  };
  const folders = updates.flatMap(({ directory, directories = [] }) => [directory ?? [], directories].flat());
  expect(folders).toContain("/");
  expect(folders.filter((folder) => !existsSync(join(root, folder)))).toEqual([]);
});

test("pull requests and releases run .ci/run in a job that may only read", () => {
  expect(workflow("test").on).toBe("pull_request");
  for (const name of ["test", "release"]) {
    const { permissions, steps } = workflow(name).jobs["test"]!;
    expect(permissions).toEqual({ contents: "read" });
    expect(steps.map(({ run }) => run)).toContain(".ci/run");
  }
});

test.for([
  ["root", 0, "apt-get"],
  ["another user", 1_001, "sudo -n apt-get"],
] as const)(".ci/run installs the tools of the tests as %s", async ([, uid, installer], context) => {
  needsPosix(context, "/bin/bash");
  const folder = await temporaryFolder();
  const log = join(folder, "log");
  const programs = {
    id: `echo ${uid}`,
    dirname: "echo .ci",
    sudo: `echo "sudo $*" >> ${log}`,
    "apt-get": `echo "apt-get $*" >> ${log}`,
    python3: "exit 1",
    go: "exit 1",
    npx: "exit 3",
  };
  for (const [name, line] of Object.entries(programs))
    writeFileSync(join(folder, name), `#!/bin/sh\n${line}\n`, { mode: 0o755 });
  const { status, stderr } = spawnSync("/bin/bash", [".ci/run"], {
    cwd: root,
    env: { PATH: folder },
    encoding: "utf8",
  });
  expect(status, stderr).toBe(3); // the first command of pnpm
  const installed = readFileSync(log, "utf8").trimEnd().split("\n");
  expect(installed.shift()).toBe(`${installer} update -qq`);
  const prefix = `${installer} install -y -qq --no-install-recommends `;
  expect(installed.map((line) => line.replace(prefix, ""))).toEqual(
    expect.arrayContaining(["prometheus", "strace", "haproxy", "pgbouncer", "etcd-server", "iproute2", "systemd"]),
  );
});

describe("a test whose tool is missing", () => {
  afterEach(() => void vi.unstubAllEnvs());
  const outcomeWith = (env: Record<string, string>, absence?: string): unknown => {
    for (const name of ["CI", "MAY_LACK_TOOLS"]) vi.stubEnv(name, env[name] ?? "");
    const skip = vi.fn<(reason: string) => void>();
    try {
      needsTool({ skip } as unknown as TestContext, absence);
      return skip.mock.calls[0]?.[0] ?? "runs";
    } catch (error) {
      return (error as Error).message;
    }
  };

  test.each([
    ["fails in CI, and names the tool", { CI: "true" }, "A tool is missing in CI: promtool cannot be run"],
    ["is skipped elsewhere", {}, "promtool cannot be run"],
    ["is skipped in a job of CI that may lack tools", { CI: "true", MAY_LACK_TOOLS: "true" }, "promtool cannot be run"],
  ])("%s", (_, env, outcome) => {
    expect(outcomeWith(env, "promtool cannot be run")).toBe(outcome);
    expect(outcomeWith(env)).toBe("runs");
  });
});

test("no job that runs .ci/run may lack tools, and every other job that runs the tests may", () => {
  const jobs = workflows.flatMap((one) => Object.values(one.jobs));
  const tests = jobs.flatMap(({ steps }) => steps).filter(({ run }) => /^\.ci\/run$| test$/.test(run ?? ""));
  expect(tests.map(({ run, env }) => [run, env?.["MAY_LACK_TOOLS"]])).toEqual([
    [".ci/run", undefined],
    [".ci/run", undefined],
    ["npx -y pnpm@12.21.0 test", "true"],
  ]);
});

test("workflows grant no permission by default, and checkouts store no token", () => {
  for (const { file, permissions, jobs } of workflows) {
    expect(permissions, file).toEqual({});
    for (const { steps } of Object.values(jobs)) {
      const checkouts = steps.filter(({ uses }) => uses?.startsWith("actions/checkout@"));
      for (const checkout of checkouts) expect(checkout.with, file).toMatchObject({ "persist-credentials": false });
    }
  }
});

test("two jobs may publish: they publish what another job has made, and run no code of the repository", () => {
  const jobs = workflows.flatMap((one) => Object.entries(one.jobs));
  const publishing = jobs.filter(([, { permissions }]) => "id-token" in permissions);
  expect(publishing.map(([name, { permissions }]) => [name, permissions])).toEqual([
    ["publish", { "id-token": "write" }],
    ["deploy", { pages: "write", "id-token": "write" }],
  ]);
  const [packages, site] = publishing.map(([, { steps }]) =>
    steps.map(({ uses, run }) => uses?.replace(/@.*/, "") ?? run),
  );
  expect(packages).toEqual([
    "actions/setup-node",
    "actions/download-artifact",
    expect.stringMatching(/^for tarball in \S+\.tgz; do npm publish "\$tarball" [^;]*--ignore-scripts; done$/),
  ]);
  expect(site).toEqual(["actions/deploy-pages"]);
});

test("every script that the workflows run exists", () => {
  const run = workflows.flatMap(({ text }) =>
    Array.from(text.matchAll(invocation), ([, command = ""]) => command.replace(/ .*/, "")),
  );
  expect(run).toContain("release:pack");
  expect(run.filter((name) => name !== "install" && !(name in scripts))).toEqual([]);
});

test("the contract workflow checks the contract with its action, which may comment", () => {
  const { permissions, steps } = workflow("contract").jobs["check"]!;
  expect(permissions).toEqual({ contents: "read", "pull-requests": "write" });
  const { with: inputs } = steps.find(({ uses }) => uses?.startsWith("./.github/actions/contract"))!;
  expect(inputs).toEqual({ check: "check", command: "npx -y pnpm@12.21.0 contract" });
});
