import { spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { statfs } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import type { Browser } from "playwright-core";
import type { TestContext } from "vitest";

/** Whether the system has file modes, signals and named pipes, and renames open files. Windows has none of these. */
export const isPosix = process.platform !== "win32";

/** Skips a test on Windows, and names the feature that Windows does not have. */
export function needsPosix(context: TestContext, feature: string): void {
  context.skip(!isPosix, `Windows has no ${feature}`);
}

/** Whether only the owner may read and write a file. On Windows this follows from the folder, so the result is true. */
export function isOwnerOnly(path: string): boolean {
  return !isPosix || (statSync(path).mode & 0o777) === 0o600;
}

/**
 * Skips a test whose tool is missing, with the reason. In CI the test fails instead, because `.ci/run` installs every tool that
 * tests look for. `MAY_LACK_TOOLS` makes an exception for a job that runs `test` alone.
 */
export function needsTool(
  { skip }: Pick<TestContext, "skip">,
  absence: string | undefined,
): asserts absence is undefined {
  if (absence === undefined) return;
  const { CI, MAY_LACK_TOOLS } = process.env;
  if (CI && !MAY_LACK_TOOLS) throw new Error(`A tool is missing in CI: ${absence}`);
  skip(absence);
}

/** The paths on Debian, first the smaller program, which has no window; the last one is that of GitHub's Ubuntu. */
const PROGRAMS = ["/usr/bin/chromium-headless-shell", "/usr/bin/chromium", "/usr/bin/google-chrome"];
const program = PROGRAMS.find((path) => existsSync(path));

/** Why browser tests cannot run on this machine; undefined if they can. */
export const chromiumAbsence =
  program === undefined
    ? `no browser at ${PROGRAMS.join(" or ")}; on Debian: apt-get install chromium-headless-shell`
    : undefined;

/** Returns why no command can run in a new terminal; undefined if `script` can. That of macOS and BSD has other options. */
export function scriptAbsence(): string | undefined {
  const { stdout } = spawnSync("script", ["--version"], { encoding: "utf8" });
  return stdout?.includes("util-linux") ? undefined : "script of util-linux is not installed";
}

/** Starts a browser for one test. */
export async function launchChromium(): Promise<Browser> {
  const { chromium } = await import("playwright-core");
  return chromium.launch({ executablePath: program!, args: ["--no-sandbox", "--disable-dev-shm-usage"] });
}

/** Returns a free port below the range of ephemeral ports, so that the system does not assign it to another program. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = 15_000 + Math.floor(Math.random() * 15_000);
    const server = createServer().listen(port, "127.0.0.1");
    const isFree = await once(server, "listening").then(
      () => true,
      () => false,
    );
    server.close();
    if (isFree) return port;
  }
}

/** Returns a folder in memory if 4 GiB are free there, otherwise the temporary folder. */
export async function memoryFolder(): Promise<string> {
  const { bavail, bsize } = await statfs("/dev/shm").catch(() => ({ bavail: 0, bsize: 0 }));
  return bavail * bsize > 2 ** 32 ? "/dev/shm" : tmpdir();
}

/** Returns the CPU time of a process in seconds, as Linux counts it; 0 for a process that has ended. */
export function cpuSecondsOf(pid: number): number {
  try {
    const tasks = readdirSync(`/proc/${pid}/task`);
    const nanoseconds = tasks.map((task) => readFileSync(`/proc/${pid}/task/${task}/schedstat`, "utf8").split(" ")[0]);
    return nanoseconds.reduce((sum, time) => sum + Number(time), 0) / 1e9;
  } catch {
    return 0;
  }
}

/** Returns the CPU time of a process and its children in seconds, also of those that have ended. */
export function cpuSecondsOfAll(pid: number): number {
  for (;;) {
    const ended = cpuSecondsOfEnded(pid);
    const sum = withChildren(pid).reduce((seconds, each) => seconds + cpuSecondsOf(each), ended);
    if (cpuSecondsOfEnded(pid) === ended) return sum;
  }
}

/** Returns the CPU time of children that have ended: fields 16 and 17 of `stat`, in hundredths of a second. */
function cpuSecondsOfEnded(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ").at(-1)!.split(" ");
  return (Number(fields[13]) + Number(fields[14])) / 100;
}

/** Returns the ids of a process and its children. */
export function withChildren(pid: number): number[] {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim().split(" ").map(Number);
  return [pid, ...children];
}

/** Returns the resident memory of a process in MB. */
export function megabytesOf(pid: number): number {
  const [, kibibytes] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))!;
  return (Number(kibibytes) * 1024) / 1e6;
}
