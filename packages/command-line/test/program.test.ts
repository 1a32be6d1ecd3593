import { spawnSync } from "node:child_process";
import { closeSync, openSync } from "node:fs";
import { platform, tmpdir } from "node:os";
import { afterEach, describe, expect, test, vi } from "vitest";
import { InvalidArgumentError, parseDuration, parseTime, scriptCommand } from "../src/index.ts";

const INDEX = new URL("../src/index.ts", import.meta.url).href;

interface RunOptions {
  stdout?: "pipe" | number;
  options?: string;
  args?: string[];
  folder?: string;
}

/** Runs a program whose action is the given code, and whose options are added by another. */
function run(
  action: string,
  { stdout = "pipe", options = "", args = [], folder = import.meta.dirname }: RunOptions = {},
) {
  const code = `import { createProgram, runProgram, wholeNumber } from ${JSON.stringify(INDEX)};
    const folder = ${JSON.stringify(folder)};
    const program = createProgram("it", { description: "Does it.", folder })${options};
    await runProgram(program.action(async () => { ${action} }));`;
  const words = ["--input-type=module-typescript", "--eval", code, "it", ...args];
  const { status, ...printed } = spawnSync(process.execPath, words, {
    encoding: "utf8",
    stdio: ["ignore", stdout, "pipe"],
  });
  return { status, stdout: printed.stdout, stderr: printed.stderr };
}

test("a program in no package prints a version", () => {
  expect(run("", { args: ["--version"], folder: tmpdir() }).stdout).toBe("0.0.0\n");
});

describe("control characters", () => {
  const RAW = "a\u001b[31m\r\u0007\u009b2J\u202eb\tc\n";
  const SHOWN = "a\\u001b[31m\\u000d\\u0007\\u009b2J\\u202eb\tc\n";
  const literal = JSON.stringify(RAW);

  test("are escaped in what a program prints", () => {
    expect(run(`console.log(${literal} + "%s", ${literal}); console.error(${literal});`)).toEqual({
      status: 0,
      stdout: `${SHOWN}${SHOWN}\n`,
      stderr: `${SHOWN}\n`,
    });
  });

  test("are escaped in the messages of errors and in their stacks", () => {
    expect(run(`throw new Error(${literal});`).stderr).toBe(`${SHOWN}\n`);
    expect(run(`throw new TypeError(${literal});`).stderr).toContain(SHOWN);
  });

  test("are escaped in echoes of arguments", () => {
    for (const args of [["--\u001b]0;x\u0007"], ["--count", "\u001b[2J"], ["--count=\u009b1"]]) {
      const { status, stderr } = run("", { options: '.option("--count <n>", "", wholeNumber())', args });
      expect(status).toBe(2);
      expect(stderr).toMatch(/\\u00(1b|9b)/);
      expect(stderr).not.toMatch(/(?!\n)\p{Cc}/u);
    }
  });

  test("are escaped in tables, with their line breaks, and in JSON, which stays the same value", () => {
    const code = `const { printJson, printTable } = await import(${JSON.stringify(INDEX)}); const raw = ${literal};`;
    expect(run(`${code} printTable([["name", "id"], [raw, "1"]]);`).stdout.split("\n")).toHaveLength(3);
    const { stdout } = run(`${code} printJson({ raw });`);
    expect(stdout).not.toMatch(/(?!\n)[\p{Cc}\u202e]/u);
    expect(JSON.parse(stdout)).toEqual({ raw: RAW });
  });
});

describe("runProgram", () => {
  test("exits with 0 after success", () => {
    expect(run("console.log('done');")).toEqual({ status: 0, stdout: "done\n", stderr: "" });
  });

  test("prints the message of a failure, and exits with 1", () => {
    expect(run("throw new Error('The disk is full.');")).toEqual({
      status: 1,
      stdout: "",
      stderr: "The disk is full.\n",
    });
  });

  test("prints the stack of a mistake in the code", () => {
    const { status, stderr } = run("undefined.length;");
    expect(status).toBe(1);
    expect(stderr).toMatch(/^TypeError: .*\n {4}at /);
  });

  test.skipIf(platform() !== "linux")("fails once, and says so, if the output is lost", () => {
    const full = openSync("/dev/full", "w");
    const { status, stderr } = run("console.log('lost'); console.log('too');", { stdout: full });
    closeSync(full);
    expect(status).toBe(1);
    expect(stderr).toMatch(/^Standard output cannot be written; its content is lost \(ENOSPC: .*\)\.\n$/);
  });
});

describe("arguments", () => {
  const options = '.argument("<file>").requiredOption("--name <name>", "the name")';

  test.each([
    [["--nonsense"], "error: unknown option '--nonsense'\n"],
    [["a.yaml", "--nam", "x"], "error: unknown option '--nam'\n(Did you mean --name?)\n"],
    [["a.yaml"], "error: required option '--name <name>' not specified\n"],
    [["--name", "x"], "error: missing required argument 'file'\n"],
  ])("%j: one mistake is named, an unknown option first", (args, message) => {
    const { status, stderr } = run("", { options, args });
    expect(stderr).toContain(message);
    expect(stderr.match(/^error: /gm)).toHaveLength(1);
    expect(status).toBe(2);
  });

  test("a missing command is named before the usage", () => {
    const { status, stderr } = run("", { options: ";program.command('list').command('all')", args: ["list"] });
    expect(stderr).toMatch(/^error: missing command of 'list'\n\nUsage: it list /);
    expect(status).toBe(2);
  });

  test("--help is printed in any case", () => {
    const { status, stdout } = run("", { options, args: ["--nonsense", "--help"] });
    expect(stdout).toMatch(/^Usage: it /);
    expect(status).toBe(0);
  });
});

const HOUR = 3_600_000;

test.each<[(text: string) => unknown, string, unknown]>([
  [parseDuration, "1s", 1_000],
  [parseDuration, "30m", 30 * 60_000],
  [parseDuration, "12h", 12 * HOUR],
  [parseDuration, "90d", 90 * 24 * HOUR],
  [parseDuration, "99999w", 99_999 * 7 * 24 * HOUR],
  [parseTime, "2026-12-05", Date.UTC(2026, 11, 5)],
  [parseTime, "2026-12-05T09:30Z", Date.UTC(2026, 11, 5, 9, 30)],
  [parseTime, "2026-12-05T09:30:15+01:00", Date.UTC(2026, 11, 5, 8, 30, 15)],
  [parseTime, "2026-12-05T09:30:15.250-01:30", Date.UTC(2026, 11, 5, 11, 0, 15, 250)],
])("%o reads %o as %o", (parse, text, value) => {
  expect(parse(text)).toEqual(value);
});

test("parseTime subtracts a duration from the current time", () => {
  const before = Date.now();
  const since = parseTime("2h") + 2 * HOUR;
  expect(since).toBeGreaterThanOrEqual(before);
  expect(since).toBeLessThanOrEqual(Date.now());
});

const DURATION = "Give a whole number and one of s, m, h, d, w, such as 90d.";
const TIME = "Give a duration such as 24h or 7d, or a date or time such as 2026-12-05T09:30Z.";

describe.each<[(text: string) => unknown, string, string[]]>([
  [parseDuration, DURATION, ["", "0d", "0", "90", "d", "1.5d", "-1d", "100000d", "90dd", "x90d", "90D", "1y"]],
  [parseTime, TIME, ["", "yesterday", "0d", "2026", "2026-13-01", "x2026-12-05", "2026-12-05Z", "2026-12-05T09:30"]],
  [
    parseTime,
    TIME,
    ["2026-12-05T9:30Z", "2026-12-05T09:30:15.Z", "+002026-12-05", "2026-12-05T09:30Zx", "2026-12-05T09:30+1"],
  ],
])("%o, with the error %s,", (parse, remedy, texts) => {
  test.each(texts)("rejects %o", (text) => {
    expect(() => parse(text)).toThrow(new InvalidArgumentError(remedy));
  });
});

describe("scriptCommand", () => {
  afterEach(() => void vi.unstubAllEnvs());

  test.each([
    ["pnpm/12.21.0 npm/? node/v26.10.0", "start", "npx -y pnpm@12.21.0 contract diff HEAD --json"],
    ["pnpm/10.4.1 npm/? node/v24.1.0", "start", "pnpm contract diff HEAD --json"],
    ["npm/11.19.1 node/v24.1.0", "start", "npm run contract diff HEAD -- --json"],
    ["yarn/4.18.1 npm/? node/v24.1.0", "start", "yarn contract diff HEAD --json"],
    ["npm/11.19.1 node/v24.1.0", "npx", "npx -y pnpm@12.21.0 contract diff HEAD --json"],
    ["", "start", "npx -y pnpm@12.21.0 contract diff HEAD --json"],
  ])("names the package manager %j that runs the script %j", (agent, script, command) => {
    vi.stubEnv("npm_config_user_agent", agent);
    vi.stubEnv("npm_lifecycle_event", script);
    expect(scriptCommand("contract diff HEAD --json")).toBe(command);
  });

  test.each([
    ["npm/11.19.1", "npm run --silent museum token"],
    ["pnpm/10.4.1", "pnpm --silent museum token"],
    ["yarn/4.18.1", "yarn museum token"],
  ])("keeps --silent where %s would print more than the script", (agent, command) => {
    vi.stubEnv("npm_config_user_agent", agent);
    vi.stubEnv("npm_lifecycle_event", "start");
    expect(scriptCommand("--silent museum token")).toBe(command);
  });
});
