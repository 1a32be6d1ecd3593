import { randomUUID } from "node:crypto";
import { connect, createServer, type Socket } from "node:net";
import { DatabaseError, isDatabaseUnavailable } from "@platform/storage/database-error";
import { createDatabase, execute } from "@platform/test-support/postgres";
import { temporaryFolder, temporaryUrl } from "@platform/test-support/temporary";
import { sql } from "kysely";
import { describe, expect, inject, onTestFinished, test } from "vitest";
import { insertPet, listPets } from "../../src/resources/pets/pets.repository.ts";
import { expectError, json, startService } from "../../testing/service.ts";
import { startProgram } from "../program.ts";
import { type Database, opened, temporaryStorage } from "../temporary.ts";

const REX = { name: "Rex", categoryId: 1, status: "available" } as const;
const UNUSABLE =
  /^The PostgreSQL database cannot be used \(.+\)\. Check that its server .*, or set DATABASE_URL to another database\.$/;

describe("a database that cannot be used says why and what to do, without the password", () => {
  const at = async (change: (url: URL) => void): Promise<string> => {
    const url = new URL(await temporaryUrl());
    change(url);
    return url.href;
  };

  test.each<[string, (url: URL) => void, RegExp]>([
    ["no server", (url) => (url.port = "1"), /ECONNREFUSED/],
    ["no such host", (url) => (url.hostname = "nowhere.invalid"), /ENOTFOUND|EAI_AGAIN/],
    ["no such database", (url) => (url.pathname = "nothing"), /database "nothing" does not exist/],
    ["no such user", (url) => (url.username = "nobody"), /password authentication failed|does not exist/],
  ])("%s", async (_title, change, reason) => {
    const error = await failureOf(sql`select 1`.execute(opened(await at(change))));
    expect(error).toBeInstanceOf(DatabaseError);
    expect(error.message).toMatch(UNUSABLE);
    expect(error.message).toMatch(reason);
    expect(error.message).not.toContain("hunter2");
  });

  test("too many connections", async () => {
    const role = `role_${randomUUID().replaceAll("-", "")}`;
    const server = inject("postgresUrl")!;
    await execute(server, `create role ${role} login password 'hunter2' connection limit 1`);
    const database = await createDatabase(server);
    onTestFinished(async () => {
      await database.drop();
      await execute(server, `drop role ${role}`);
    });
    const url = Object.assign(new URL(database.url), { username: role }).href;
    const [first, second] = [opened(url), opened(url)];
    await sql`select 1`.execute(first);
    const error = await failureOf(sql`select 1`.execute(second));
    expect(error).toBeInstanceOf(DatabaseError);
    expect(error.message).toMatch(/too many connections/);
    await first.destroy();
    await expect.poll(() => sql`select 1`.execute(second).then(() => "works", isDatabaseUnavailable)).toBe("works");
  });
});

describe("a query that fails for the state of the database is told from a mistake", () => {
  test("a mistake", async () => {
    const error = await failureOf(sql`select nothing from nowhere`.execute(opened(await temporaryUrl())));
    expect(isDatabaseUnavailable(error)).toBe(false);
  });

  test("a statement that takes too long, by a limit that the URL can set", async () => {
    const error = await failureOf(
      sql`select pg_sleep(60)`.execute(opened(`${await temporaryUrl()}?statement_timeout=100`)),
    );
    expect(error.message).toBe("canceling statement due to statement timeout");
    expect(isDatabaseUnavailable(error)).toBe(true);
  });

  test("no free connection in time", async () => {
    const db = opened(await temporaryUrl());
    const holding = Array.from({ length: 10 }, () => sql`select pg_sleep(2.5)`.execute(db));
    const error = await failureOf(sql`select 1`.execute(db));
    expect(error.message).toMatch(/timeout exceeded when trying to connect/);
    expect(isDatabaseUnavailable(error)).toBe(true);
    await Promise.all(holding);
    expect((await sql`select 1`.execute(db)).rows).toHaveLength(1);
  });

  test.each([
    ["while a statement runs", "select pg_sleep(60)"],
    ["between two statements", "select 1"],
  ])("a connection cut by the server, at rest and %s", async (_title, statement) => {
    const { write, db, url } = await temporaryStorage();
    const other = opened(url);
    const cutAll = () =>
      sql`
        select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and pid <> pg_backend_pid()
      `.execute(other);
    await write((trx) => insertPet(trx, REX));
    await cutAll();
    const list = (from: Database) => listPets(from, { limit: 10 });
    await expect.poll(() => list(db).catch(isDatabaseUnavailable)).toHaveLength(1);
    await expect.poll(() => write(list).catch(isDatabaseUnavailable)).toHaveLength(1);

    const { promise: begun, resolve: begin } = Promise.withResolvers<void>();
    const { promise: isCut, resolve: cut } = Promise.withResolvers<void>();
    const failing = failureOf(
      write(async (trx) => {
        await insertPet(trx, REX);
        const first = sql.raw(statement).execute(trx);
        begin();
        await Promise.all([first, isCut]);
        return insertPet(trx, REX);
      }),
    );
    await begun;
    await cutAll();
    cut();
    expect(isDatabaseUnavailable(await failing)).toBe(true);
    await expect.poll(() => write((trx) => insertPet(trx, REX)).catch(isDatabaseUnavailable)).toMatchObject(REX);
    expect(await list(other)).toHaveLength(2);
  });
});

test("a server that falls silent is given up at the deadline, and used again once it answers", async () => {
  const url = await temporaryUrl();
  const proxy = await startProxy(url);
  const service = await startService({ DATABASE_URL: `${proxy.url}?statement_timeout=500` });
  await service.addPet();
  proxy.hang();
  const start = performance.now();
  const answers = await Promise.all([
    ...Array.from({ length: 5 }, () => service.request("/pets")),
    ...Array.from({ length: 5 }, () => service.request("/pets", json({ name: "Rex", categoryId: 1 }))),
  ]);
  expect(performance.now() - start).toBeLessThan(3_500);
  for (const answer of answers) await expectError(answer, 503, "unavailable");
  proxy.resume();
  expect((await service.request("/pets")).status).toBe(200);
  await service.addPet();
  await service[Symbol.asyncDispose]();
});

test("a server that falls silent does not keep the service from ending", async () => {
  const proxy = await startProxy(await temporaryUrl());
  const program = await startProgram(await temporaryFolder(), { DATABASE_URL: proxy.url, PETSTORE_ENV: "production" });
  expect((await fetch(new URL("/readyz", program.baseUrl))).status).toBe(200);
  proxy.hang();
  const start = performance.now();
  expect(await program.stop()).toBe(0);
  expect(performance.now() - start).toBeLessThan(5_000);
}, 60_000);

/** Stands between the service and the server, and can keep silent, also when it is told of the end. */
async function startProxy(target: string): Promise<{ url: string; hang: () => void; resume: () => void }> {
  const { hostname, port } = new URL(target);
  const sockets = new Set<Socket>();
  let isSilent = false;
  const proxy = createServer({ allowHalfOpen: true }, (near) => {
    const far = connect(Number(port) || 5432, hostname);
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(from);
      from.on("data", (bytes) => isSilent || to.write(bytes));
      from.on("end", () => isSilent || to.end());
      from.on("error", () => {});
      from.on("close", () => to.destroy());
    }
  });
  await new Promise<void>((done) => void proxy.listen(0, "127.0.0.1", done));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    proxy.close();
  });
  const url = Object.assign(new URL(target), {
    hostname: "127.0.0.1",
    port: (proxy.address() as { port: number }).port,
  });
  return { url: url.href, hang: () => void (isSilent = true), resume: () => void (isSilent = false) };
}

async function failureOf(promise: Promise<unknown>): Promise<Error> {
  return promise.then(
    () => {
      throw new Error("it did not fail");
    },
    (error: Error) => error,
  );
}
