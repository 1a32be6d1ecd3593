import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { open, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { SERVICE } from "@openapi-operations/command-line/name";
import { pathOfFileUrl } from "@openapi-operations/storage/url";
import { needsPosix, needsTool } from "@platform/test-support/machine";
import { temporaryDisk, temporaryFolder } from "@platform/test-support/temporary";
import Sqlite from "better-sqlite3";
import { sql } from "kysely";
import { describe, expect, onTestFinished, test } from "vitest";
import { temporaryStorage } from "../tables.ts";
import { everyThing } from "./load.ts";
import { creation, expectError, type Program, startProgram, startService } from "./start.ts";
import type { Thing } from "./things.ts";

describe("a full disk", () => {
  const MIB = 2 ** 20;

  type Request = (path: string, init?: RequestInit) => Promise<Response>;

  test("writes get 503 on a full tmpfs while reads succeed, and writes succeed again once there is room", async (context) => {
    const folder = await temporaryDisk(context, 3 * MIB);
    const ballast = join(folder, "ballast");
    await writeFile(ballast, Buffer.alloc(2 * MIB));
    const program = await startProgram(folder, { LOG_LEVEL: "error" });

    await expectRefusalsUntilThereIsRoom(requesting(program.baseUrl, program.key!), () => rm(ballast));
    await expect
      .poll(() => program.output())
      .toContain(
        `The database file ${folder}/data/things.db cannot grow (database or disk is full). Free some space on its disk; the service then recovers by itself.`,
      );
    expect(await program.stop()).toBe(0);
    expect(program.output().match(/"stack"/g)).toHaveLength(1); // for six rejected writes and the failure of /readyz
  });

  test("writes and /readyz get 503 while the disk does not sync, and no rejected write is stored", async (context) => {
    const folder = await temporaryFolder();
    const program = await startProgram(folder);
    const request = requesting(program.baseUrl, program.key!);
    const add = () => request("/things", creation("Rex"));
    expect((await add()).status).toBe(201);
    const words = ["-f", "-p", String(program.child.pid), "-e", "inject=fsync,fdatasync:error=EIO"];
    const strace = spawn("strace", words, { stdio: ["ignore", "ignore", "pipe"] });
    onTestFinished(() => void strace.kill());
    const said = await Promise.race([once(strace.stderr, "data"), once(strace, "error")]);
    const absence = `strace cannot be run here: ${String(said[0])}`;
    if (said[0] instanceof Error) needsTool(context, absence);
    if (!absence.includes("attached")) return context.skip(absence); // the system may forbid it
    await expectError(await add(), 503, "unavailable");
    for (const _ of ["the probe", "its outcome"]) await expectError(await request("/../readyz"), 503, "unavailable");
    expect((await request("/things/1")).status).toBe(200);
    strace.kill("SIGINT");
    await once(strace, "exit");
    await expect.poll(async () => (await request("/../readyz")).status).toBe(200);
    expect((await add()).status).toBe(201);
    expect(await everyThing(request)).toHaveLength(2);
    expect(await program.stop()).toBe(0);
  });

  test("writes get 503 at max_page_count while reads succeed, and writes succeed again once there is room", async () => {
    const storage = await temporaryStorage();
    const limit = (pages: number) =>
      storage.write(async (trx) => void (await sql`pragma max_page_count = ${sql.lit(pages)}`.execute(trx)));
    await limit(60);
    await using service = await startService({ DATABASE_URL: storage.url }, { storage });

    await expectRefusalsUntilThereIsRoom(requesting(service.baseUrl, service.key), () => limit(1_000));
  });

  test("a damaged page gives 503, and the log names the file and the remedy", async () => {
    const folder = await temporaryFolder();
    const first = await startProgram(folder);
    expect(await first.stop()).toBe(0);
    const path = join(folder, "data/things.db");
    await damageLastPage(path);

    const program = await startProgram(folder, { LOG_LEVEL: "error" });
    const request = requesting(program.baseUrl, program.key!);
    const message = await expectError(await request("/things?limit=100"), 503, "unavailable");
    expect(message).not.toContain(folder);
    await expect
      .poll(() => program.output())
      .toContain(
        `The database file ${JSON.stringify(path).slice(1, -1)} is damaged (database disk image is malformed). Stop the service, run ` +
          `\`${SERVICE.name} doctor\`, and replace the file with a backup: \`${SERVICE.name} restore <backup>\`.`,
      );
    expect((await request("/things/1")).status).toBe(200);
    expect(await program.stop()).toBe(0);
  });

  /** Adds things until there is no room, and expects the promised responses then and afterwards. */
  async function expectRefusalsUntilThereIsRoom(request: Request, makeRoom: () => Promise<void>): Promise<void> {
    const add = () => request("/things", creation("é".repeat(255)));
    const acknowledged: Thing[] = [];
    let response = await add();
    for (; response.ok; response = await add()) acknowledged.push((await response.json()) as Thing);
    for (let again = 0; again < 5; again++, response = await add()) {
      expect(response.headers.get("Retry-After")).toBe("1");
      await expectError(response, 503, "unavailable");
    }
    expect(acknowledged.length).toBeGreaterThan(20);
    expect(await everyThing(request)).toEqual(acknowledged);
    const message = await expectError(await request("/../readyz"), 503, "unavailable");
    expect(message).toBe("The database cannot be written.");

    await makeRoom();
    await expect.poll(async () => (await request("/../readyz")).status).toBe(200); // before the next write
    const after = await Promise.all(Array.from({ length: 20 }, add));
    expect(after.map(({ status }) => status)).toEqual(Array(20).fill(201));
    expect(await everyThing(request)).toHaveLength(acknowledged.length + 20);
  }

  function requesting(baseUrl: string, key: string): Request {
    return (path, init = {}) => {
      const headers = new Headers(init.headers);
      headers.set("Authorization", `Bearer ${key}`);
      return fetch(baseUrl + path, { ...init, headers });
    };
  }

  /** Fills several pages of the table with things, then overwrites the last page. */
  async function damageLastPage(path: string): Promise<void> {
    const file = new Sqlite(path);
    const insert = file.prepare("insert into things (name) values (?)");
    for (let n = 0; n < 50; n++) insert.run("x".repeat(255));
    const { page, size } = file
      .prepare("select max(pageno) as page, pgsize as size from dbstat where name = 'things'")
      .get() as { page: number; size: number };
    file.close();
    const handle = await open(path, "r+");
    await handle.write(Buffer.alloc(size, 0xff), 0, size, (page - 1) * size);
    await handle.close();
  }

  test("a write is rejected while the database file is moved, because the write would be lost", async (context) => {
    needsPosix(context, "way to rename an open database");
    await using service = await startService();
    const path = pathOfFileUrl(service.databaseUrl);
    await rename(path, `${path}.moved`); // before the first request
    await expectError(await service.request("/things", creation("Rex")), 503, "unavailable");
    await writeFile(path, "", { flag: "wx" });
    await expectError(await service.request("/things", creation("Rex")), 503, "unavailable");
    await rename(`${path}.moved`, path);
    expect(await service.add()).toMatchObject({ id: 1 });
  });

  test("a write is rejected if the log of the database was removed, and a restart has every earlier write", async (context) => {
    needsPosix(context, "way to rename an open database");
    const path = join(await temporaryFolder(), "things.db");
    const env = { DATABASE_URL: `file:${path}` };
    const first = await startService(env);
    await first.add();
    await rm(`${path}-wal`);
    await expectError(await first.request("/things", creation("Rex")), 503, "unavailable");
    await first[Symbol.asyncDispose]();
    await using second = await startService(env);
    expect(await second.add()).toMatchObject({ id: 2 });
  });
});

describe("syncs", () => {
  const BATCHES = [1, 16, 64];
  /** The first creation may be its own group, and a log that starts again is synced once more. */
  const MOST_SYNCS = 4;

  const STRACE = "strace -D -f -y -s 12 -e trace=fsync,fdatasync,write,writev,sendto,sendmsg".split(" ");

  test("simultaneous creations are synced to disk together, before any of their responses is sent", async (context) => {
    const folder = await temporaryFolder();
    const trace = join(folder, "trace");
    try {
      execFileSync(STRACE[0]!, [...STRACE.slice(1), "-o", trace, "true"], { stdio: "pipe" });
    } catch (error) {
      const absence = `strace cannot be run here: ${(error as Error).message.split("\n").at(-1)}`;
      if ((error as NodeJS.ErrnoException).code === "ENOENT") needsTool(context, absence);
      return context.skip(absence); // the system may forbid it
    }
    const program = await startProgram(folder, { METRICS_PORT: "0" }, [...STRACE, "-o", trace]);
    await expectCreated(program, 1);
    for (const size of BATCHES) {
      const lock = new Sqlite(join(folder, "data/things.db")).exec("begin immediate");
      const created = expectCreated(program, size);
      await expect.poll(() => inFlight(program)).toBe(size);
      lock.exec("rollback").close();
      await created;
      await inFlight(program);
    }
    expect(await program.stop()).toBe(0);

    const ended = new RegExp(`^${program.child.pid} +[+]{3} exited with 0 `, "m");
    await expect.poll(() => readFile(trace, "utf8")).toMatch(ended);
    const batches = batchesIn(await readFile(trace, "utf8"));
    const figures = BATCHES.map((creations, index) => {
      const batch = batches[index]!;
      expect(batch[0]).toBe("sync");
      expect(batch.filter((event) => event === "answer")).toHaveLength(creations);
      return { creations, syncs: batch.filter((event) => event === "sync").length };
    });
    for (const { syncs } of figures) expect(syncs).toBeLessThanOrEqual(MOST_SYNCS);
    console.log(figures);
  });

  type Event = "sync" | "answer" | "metrics";

  /** Returns the successful syncs of the database and the starts of responses, in order, grouped by the requests for metrics. */
  function batchesIn(trace: string): Event[][] {
    const batches: Event[][] = [[]];
    for (const event of trace.split("\n").flatMap(eventOf)) {
      if (event === "metrics") batches.push([]);
      else batches.at(-1)!.push(event);
    }
    return batches.slice(1).filter((batch) => batch.includes("answer"));
  }

  function eventOf(line: string): Event[] {
    if (/\b(fsync|fdatasync)(\(.*things\.db.*| resumed>)\) += 0$/.test(line)) return ["sync"];
    if (line.includes('"HTTP/1.1 201"')) return ["answer"];
    return line.includes('"HTTP/1.1 200"') ? ["metrics"] : [];
  }

  async function expectCreated({ baseUrl, key }: Program, count: number): Promise<void> {
    const init = creation("Rex", { Authorization: `Bearer ${key}` });
    const responses = await Promise.all(Array.from({ length: count }, () => fetch(`${baseUrl}/things`, init)));
    expect(responses.map(({ status }) => status)).toEqual(Array(count).fill(201));
  }

  async function inFlight({ output }: Program): Promise<number> {
    const url = /Metrics are at (\S+)/.exec(output())![1]!;
    const metrics = await (await fetch(url)).text();
    return Number(/^http_requests_in_flight (\d+)$/m.exec(metrics)![1]);
  }
});
