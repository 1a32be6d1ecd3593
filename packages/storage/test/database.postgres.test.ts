import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { SERVICE } from "@openapi-operations/command-line/name";
import { createDatabase, execute } from "@platform/test-support/postgres";
import { sql } from "kysely";
import { Registry } from "prom-client";
import { describe, expect, inject, onTestFinished, test } from "vitest";
import { temporaryUrl } from "../src/testing/temporary.ts";
import { DatabaseError, isDatabaseUnavailable, isLockTimeout } from "../src/database-error.ts";
import { addStorageMetrics } from "../src/storage-metrics.ts";
import { type Database, insertThing, listThings, opened, temporaryStorage } from "./things.ts";

describe("the database", () => {
  const CUP = { name: "cup", size: 1 };
  const UNUSABLE =
    /^The PostgreSQL database cannot be used \(.+\)\. Check that its server .*, or set DATABASE_URL to another database\.$/;

  describe("the error of an unusable database gives the reason and the remedy, without the password:", () => {
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
      const error = await errorOf(sql`select 1`.execute(opened(await at(change))));
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
      const error = await errorOf(sql`select 1`.execute(second));
      expect(error).toBeInstanceOf(DatabaseError);
      expect(error.message).toMatch(/too many connections/);
      await first.destroy();
      await expect.poll(() => sql`select 1`.execute(second).then(() => "works", isDatabaseUnavailable)).toBe("works");
    });
  });

  describe("isDatabaseUnavailable", () => {
    test("is false for a mistake in a query", async () => {
      const error = await errorOf(sql`select nothing from nowhere`.execute(opened(await temporaryUrl())));
      expect(isDatabaseUnavailable(error)).toBe(false);
    });

    test("is true for a statement that exceeds the statement_timeout of the URL", async () => {
      const error = await errorOf(
        sql`select pg_sleep(60)`.execute(opened(`${await temporaryUrl()}?statement_timeout=100`)),
      );
      expect(error.message).toBe("canceling statement due to statement timeout");
      expect(isDatabaseUnavailable(error)).toBe(true);
    });

    test(
      "is true if the server stops responding, a second after the statement_timeout",
      { timeout: 30_000 },
      async () => {
        const { url, freeze } = await freezableServer();
        const db = opened(`${url}?statement_timeout=100`);
        await sql`select 1`.execute(db);
        freeze();
        const error = await errorOf(sql`select 1`.execute(db));
        expect(error).toMatchObject({
          message: expect.stringMatching(/^The connection to PostgreSQL was lost \(.+\)\. Try again\.$/) as string,
          cause: expect.any(Error) as Error,
        });
        expect(isDatabaseUnavailable(error)).toBe(true);
      },
    );

    test("is false for an invalid value", async () => {
      const error = await errorOf(sql`select date '2026-02-30'`.execute(opened(await temporaryUrl())));
      expect(error).toMatchObject({ code: "22008" });
      expect(isDatabaseUnavailable(error)).toBe(false);
    });

    test("is true if no connection becomes free in time", async () => {
      const db = opened(await temporaryUrl());
      const holding = Array.from({ length: 10 }, () => sql`select pg_sleep(2.5)`.execute(db));
      const error = await errorOf(sql`select 1`.execute(db));
      expect(error.message).toMatch(/timeout exceeded when trying to connect/);
      expect(isDatabaseUnavailable(error)).toBe(true);
      await Promise.all(holding);
      expect((await sql`select 1`.execute(db)).rows).toHaveLength(1);
    });

    test.each([
      ["while a statement runs", "select pg_sleep(60)"],
      ["between two statements", "select 1"],
    ])("is true for a connection that the server closes, idle or %s", async (_title, statement) => {
      const { write, db, url } = await temporaryStorage();
      const other = opened(url);
      const cutAll = () =>
        sql`
        select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and pid <> pg_backend_pid()
      `.execute(other);
      await write((trx) => insertThing(trx, CUP));
      await cutAll();
      const list = (from: Database) => listThings(from);
      await expect.poll(() => list(db).catch(isDatabaseUnavailable)).toHaveLength(1);
      await expect.poll(() => write(list).catch(isDatabaseUnavailable)).toHaveLength(1);

      const { promise: begun, resolve: begin } = Promise.withResolvers<void>();
      const { promise: isCut, resolve: cut } = Promise.withResolvers<void>();
      const failing = errorOf(
        write(async (trx) => {
          await insertThing(trx, CUP);
          const first = sql.raw(statement).execute(trx);
          begin();
          await Promise.all([first, isCut]);
          return insertThing(trx, CUP);
        }),
      );
      await begun;
      await cutAll();
      cut();
      expect(isDatabaseUnavailable(await failing)).toBe(true);
      await expect.poll(() => write((trx) => insertThing(trx, CUP)).catch(isDatabaseUnavailable)).toMatchObject(CUP);
      expect(await list(other)).toHaveLength(2);
    });
  });

  /** Returns the URL of a new database behind a proxy, which forwards nothing more after `freeze`. */
  async function freezableServer(): Promise<{ url: string; freeze: () => void }> {
    const url = new URL(await temporaryUrl());
    const sockets: Socket[] = [];
    const proxy = createServer((client) => {
      const server = connect(Number(url.port), url.hostname);
      client.pipe(server).pipe(client);
      for (const socket of [client, server]) sockets.push(socket.on("error", () => {}));
    });
    onTestFinished(() => {
      proxy.close();
      for (const socket of sockets) socket.destroy();
    });
    await once(proxy.listen(0, "127.0.0.1"), "listening");
    const { port } = proxy.address() as AddressInfo;
    const freeze = () => {
      for (const socket of sockets) socket.unpipe().pause();
    };
    return { url: Object.assign(new URL(url), { hostname: "127.0.0.1", port: String(port) }).href, freeze };
  }

  async function errorOf(promise: Promise<unknown>): Promise<Error> {
    return promise.then(
      () => {
        throw new Error("it did not fail");
      },
      (error: Error) => error,
    );
  }

  test("only an error of the server tells of an outage or of a lock, by its code", async () => {
    const db = opened(await temporaryUrl());
    const failureOf = (query: string) =>
      sql
        .raw(query)
        .execute(db)
        .then(
          () => undefined,
          (error: unknown) => error,
        );
    const raise = (code: string) => failureOf(`do $$ begin raise exception using errcode = '${code}'; end $$`);
    const locked = await raise("55P03");
    expect([isDatabaseUnavailable(locked), isLockTimeout(locked)]).toEqual([true, true]);
    const full = await raise("53100");
    expect([isDatabaseUnavailable(full), isLockTimeout(full)]).toEqual([true, false]);
    const mistake = await failureOf("select nothing");
    expect([isDatabaseUnavailable(mistake), isLockTimeout(mistake)]).toEqual([false, false]);
    const foreign = Object.assign(new Error("of another library"), { severity: "FATAL", code: "55P03" });
    expect([isDatabaseUnavailable(foreign), isLockTimeout(foreign)]).toEqual([false, false]);
  });

  test("an integer that a number cannot hold is an error, and the largest one that it can is not", async () => {
    const db = opened(await temporaryUrl());
    const read = async (value: string) =>
      (await sql<{ n: number }>`select ${sql.raw(value)}::bigint as n`.execute(db)).rows;
    expect(await read("9007199254740991")).toEqual([{ n: 9_007_199_254_740_991 }]);
    await expect(read("9007199254740992")).rejects.toThrow(RangeError);
  });

  test("a statement has no limit with statement_timeout=0", async () => {
    const db = opened(`${await temporaryUrl()}?statement_timeout=0`);
    expect((await sql`select pg_sleep(0.1), 1 as n`.execute(db)).rows).toMatchObject([{ n: 1 }]);
  });

  test("a statement is cancelled after four seconds, unless the URL has another limit", async () => {
    const url = await temporaryUrl();
    const limitOf = async (database: string) => {
      const { rows } = await sql<{ limit: string }>`select current_setting('statement_timeout') as limit`.execute(
        opened(database),
      );
      return rows[0]!.limit;
    };
    expect([await limitOf(url), await limitOf(`${url}?statement_timeout=7000`)]).toEqual(["4s", "7s"]);
  });
});

describe("writability", () => {
  const CUP = { name: "cup", size: 1 };

  test("expectWritable writes no probe after a write has waited too long for another transaction", async () => {
    const storage = await temporaryStorage();
    await storage.write((trx) => insertThing(trx, CUP));
    const probes = async () => (await sql`select xmin from kysely_migration_lock`.execute(storage.db)).rows;
    const before = await probes();
    await opened(storage.url)
      .transaction()
      .execute(async (other) => {
        await other.updateTable("things").set({ size: 2 }).execute();
        await expect(storage.write((trx) => trx.updateTable("things").set({ size: 3 }).execute())).rejects.toThrow(
          "lock timeout",
        );
      });
    await storage.expectWritable();
    expect(await probes()).toEqual(before);
  });
});

describe("metrics", () => {
  test("the metrics of connections show those in use and the queries that wait for one", async () => {
    const storage = await temporaryStorage();
    const registry = new Registry();
    addStorageMetrics(registry, storage.url);
    const counts = async () => {
      const values = Array.from(
        (await registry.metrics()).matchAll(new RegExp(`^${SERVICE.metricsPrefix}_connections_(\\w+) (\\d+)$`, "gm")),
      );
      return Object.fromEntries(values.map(([, name, value]) => [name, Number(value)]));
    };
    await sql`select 1`.execute(storage.db);
    await expect.poll(counts).toMatchObject({ used: 0, waiting: 0 });
    const { limit } = await counts();
    const sleeping = Array.from({ length: 13 }, () => sql`select pg_sleep(1)`.execute(storage.db));
    await expect.poll(counts, { interval: 20 }).toEqual({ used: 10, limit, waiting: 3 });
    await Promise.all(sleeping);
    await expect.poll(counts).toMatchObject({ used: 0, waiting: 0 });
  });
});
