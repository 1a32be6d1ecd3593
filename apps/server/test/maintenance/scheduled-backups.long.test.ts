import { type ChildProcess, spawn } from "node:child_process";
import { randomInt } from "node:crypto";
import { once } from "node:events";
import { existsSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { temporaryDisk, temporaryFolder } from "@platform/test-support/temporary";
import { expect, onTestFinished, test } from "vitest";
import { json } from "../petstore.ts";
import { ENTRY, type Program, run, startProgram } from "../program.ts";

const KILLS = 10;
const KEEP = 3;
/** The latest kill in milliseconds after the start of the command: within one of its first backups. */
const LATEST_KILL = 3_000;
const DATED = /^petstore\.\d{4}-\d{2}-\d{2}T\d{6}\.\d{3}Z\.db$/;
const MIB = 2 ** 20;

test(
  `${KILLS} kills of \`petstore backup --every\` leave only verified backups, and the next one goes on`,
  {
    timeout: 300_000,
  },
  async () => {
    const folder = await temporaryFolder();
    const program = await startProgram(folder, { LOG_LEVEL: "error" });
    const env = { DATABASE_URL: `file:${folder}/data/petstore.db`, BACKUP_FOLDER: join(folder, "backups") };
    const done = new AbortController();
    const writers = Promise.all(
      Array.from({ length: 4 }, async () => {
        while (!done.signal.aborted) expect(await create(program)).toBe(201);
      }),
    );
    let incomplete = 0;
    for (let kill = 0; kill < KILLS; kill++) {
      const { child, ended } = schedule(env, "1s");
      await setTimeout(500 + randomInt(LATEST_KILL));
      child.kill("SIGKILL");
      await ended;
      incomplete += namesIn(env.BACKUP_FOLDER).filter((name) => !DATED.test(name)).length;
      expect(await run(["backups", "list"], env)).toMatchObject({ code: 0, stderr: "" });
    }
    const { child, lines, ended } = schedule(env, "1s");
    for (let count = 0; count < KEEP + 1; count++) expect(await lines.next()).toMatch(/ is verified: \d+ animals,/);
    const second = await run(["backup", "--every", "1s"], env);
    expect(second).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("Another process is making backups there."),
    });
    done.abort();
    await writers;
    child.kill("SIGTERM");
    expect(await ended).toBe(0);
    const left = namesIn(env.BACKUP_FOLDER);
    expect([left.length, left.filter((name) => !DATED.test(name))]).toEqual([KEEP, []]);
    expect(await program.stop()).toBe(0);
    console.log({ kills: KILLS, incompleteFilesLeft: incomplete, unusableBackups: 0 });
  },
);

test(
  "a full disk costs no earlier backup, and the schedule goes on once it has room",
  {
    timeout: 120_000,
  },
  async (context) => {
    const disk = await temporaryDisk(context, 2 * MIB);
    const env = { DATABASE_URL: `file:${await temporaryFolder()}/petstore.db`, BACKUP_FOLDER: disk };
    expect((await run(["migrate"], env)).code).toBe(0);
    const { child, lines, errors, ended } = schedule(env, "1s");
    expect(await lines.next()).toMatch(/ is verified: no rows\.$/);
    expect(() => writeFileSync(join(disk, "ballast"), Buffer.alloc(2 * MIB))).toThrow("ENOSPC");
    expect(await errors.next()).toMatch(/ No backup was made in .*Free some space: /);
    expect(namesIn(disk).filter((name) => DATED.test(name)).length).toBeGreaterThan(0);
    rmSync(join(disk, "ballast"));
    while (lines.waiting() > 0) await lines.next(); // made before the disk was full
    expect(await lines.next()).toMatch(/ is (verified|removed)/);
    child.kill("SIGTERM");
    expect(await ended).toBe(0);
  },
);

/** Starts `petstore backup --every`, with its lines as they are printed. */
function schedule(env: NodeJS.ProcessEnv, interval: string) {
  const words = [ENTRY, "backup", "--every", interval, "--keep", String(KEEP)];
  const child = spawn(process.execPath, words, { env: { ...process.env, ...env }, stdio: ["ignore", "pipe", "pipe"] });
  onTestFinished(() => void child.kill("SIGKILL"));
  const ended = once(child, "close").then(([code]) => code as number | null);
  return { child, ended, lines: linesOf(child.stdout), errors: linesOf(child.stderr) };
}

/** Returns a reader of the lines of a stream, each once, except those about removed backups. */
function linesOf(stream: ChildProcess["stdout"] & object) {
  const printed: string[] = [];
  let wake = () => {};
  let rest = "";
  stream.setEncoding("utf8").on("data", (text: string) => {
    const lines = (rest + text).split("\n");
    rest = lines.pop()!;
    printed.push(...lines.filter((line) => !line.endsWith(" is removed.")));
    wake();
  });
  return {
    waiting: () => printed.length,
    next: async (): Promise<string> => {
      while (printed.length === 0) await new Promise<void>((done) => (wake = done));
      return printed.shift()!;
    },
  };
}

function namesIn(folder: string): string[] {
  return (existsSync(folder) ? readdirSync(folder) : []).filter((name) => name !== "petstore.backups.lock");
}

async function create({ baseUrl, key }: Program): Promise<number> {
  const init = json({ name: "Rex", categoryId: 1 }, { Authorization: `Bearer ${key}` });
  return (await fetch(`${baseUrl}/pets`, init)).status;
}
