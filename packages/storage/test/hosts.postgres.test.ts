import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { execute } from "@platform/test-support/postgres";
import { sql } from "kysely";
import { expect, inject, onTestFinished, test } from "vitest";
import { temporaryUrl } from "../src/testing/temporary.ts";
import { type Database, insertThing, opened, temporaryStorage } from "./things.ts";

const CUP = { name: "cup", size: 1 };
/** A port without a listener. */
const REFUSED = "127.0.0.1:1";

test("a connection goes to the first host that works, whether the others refuse or never respond", async () => {
  const url = await temporaryUrl();
  const silent = await startProxy(url);
  silent.freeze();
  const db = opened(withHosts(url, REFUSED, silent.host, new URL(url).host));
  const began = performance.now();
  expect(await numberOf(db)).toBe(1);
  expect(performance.now() - began).toBeLessThan(2_000);
});

test("connections that find a host unusable at the same time all go to the next one", async () => {
  const url = await temporaryUrl();
  const db = opened(withHosts(url, REFUSED, new URL(url).host));
  expect(await Promise.all([numberOf(db), numberOf(db)])).toEqual([1, 1]);
});

test("if no host works, the error has the reason of each", async () => {
  const url = await temporaryUrl();
  const failing = numberOf(opened(withHosts(url, REFUSED, "nowhere.invalid")));
  await expect(failing).rejects.toThrow(/\(connect ECONNREFUSED 127\.0\.0\.1:1; .*nowhere\.invalid\)\. Check/);
});

test("with several hosts or target_session_attrs=read-write, a server is used only while it accepts writes", async () => {
  const url = await temporaryUrl();
  const name = new URL(url).pathname.slice(1);
  const setReadOnly = (value: string) =>
    execute(inject("postgresUrl")!, `alter database ${name} set default_transaction_read_only = ${value}`);
  const db = opened(`${url}?target_session_attrs=read-write`);
  await setReadOnly("on");
  await expect(numberOf(db)).rejects.toThrow(/127\.0\.0\.1:\d+ accepts no writes/);
  await expect(numberOf(opened(withHosts(url, REFUSED, new URL(url).host)))).rejects.toThrow(/accepts no writes/);
  expect(await numberOf(opened(url))).toBe(1);
  await setReadOnly("off");
  expect(await numberOf(db)).toBe(1);
});

test("a connection is dropped once its server rejects writes, as after a demotion", async () => {
  const { write } = await temporaryStorage();
  await write((trx) => sql`set default_transaction_read_only = on`.execute(trx));
  await expect(write((trx) => insertThing(trx, CUP))).rejects.toMatchObject({ code: "25006" });
  expect(await write((trx) => insertThing(trx, CUP))).toMatchObject(CUP);
});

test("once a query has had no response, no other waits for a connection that has been silent since", async () => {
  const url = await temporaryUrl();
  const proxy = await startProxy(url);
  const db = opened(`${withHosts(url, proxy.host, new URL(url).host)}?statement_timeout=500`);
  await Promise.all(Array.from({ length: 5 }, () => sql`select pg_sleep(0.1)`.execute(db)));
  proxy.freeze();
  await expect(numberOf(db)).rejects.toThrow(/^The connection to PostgreSQL was lost/);
  const began = performance.now();
  expect(await Promise.all(Array.from({ length: 5 }, () => numberOf(db)))).toEqual([1, 1, 1, 1, 1]);
  expect(performance.now() - began).toBeLessThan(1_000);
});

test("a pooler that rejects settings at the start of a connection gets none, and each transaction sets the limits", async () => {
  const url = await temporaryUrl();
  const { host } = await startProxy(url, "statement_timeout");
  const db = opened(`${withHosts(url, host)}?statement_timeout=7000`);
  const limits = sql<{ limits: string }>`
    select concat_ws(' ', current_setting('statement_timeout'), current_setting('lock_timeout'),
      current_setting('idle_in_transaction_session_timeout')) as limits`;
  expect((await limits.execute(db)).rows).toEqual([{ limits: "0 0 0" }]);
  expect((await db.transaction().execute((trx) => limits.execute(trx))).rows).toEqual([{ limits: "7s 2s 4s" }]);
});

function withHosts(url: string, ...hosts: string[]): string {
  return url.replace(new URL(url).host, hosts.join(","));
}

async function numberOf(db: Database): Promise<number> {
  return (await sql<{ n: number }>`select 1 as n`.execute(db)).rows[0]!.n;
}

/**
 * Starts a proxy before a server. It forwards nothing more after `freeze`. As PgBouncer does, it rejects connections that
 * start with the setting.
 */
async function startProxy(target: string, rejected?: string): Promise<{ host: string; freeze: () => void }> {
  const { hostname, port } = new URL(target);
  const sockets: Socket[] = [];
  let isFrozen = false;
  const proxy = createServer((client) => {
    sockets.push(client.on("error", () => {}));
    if (isFrozen) return;
    const server = connect(Number(port) || 5432, hostname).on("error", () => {});
    sockets.push(server);
    client.once("data", (start) => {
      if (rejected !== undefined && start.includes(rejected)) return void client.end(startupError(rejected));
      server.write(start);
      client.pipe(server).pipe(client);
    });
  });
  onTestFinished(() => {
    proxy.close();
    for (const socket of sockets) socket.destroy();
  });
  await once(proxy.listen(0, "127.0.0.1"), "listening");
  const freeze = (): void => {
    isFrozen = true;
    for (const socket of sockets) socket.unpipe().pause();
  };
  return { host: `127.0.0.1:${(proxy.address() as AddressInfo).port}`, freeze };
}

/** Returns an ErrorResponse: https://www.postgresql.org/docs/18/protocol-message-formats.html */
function startupError(setting: string): Buffer {
  const values = { S: "FATAL", C: "08P01", M: `unsupported startup parameter: ${setting}` };
  const fields = Object.entries(values)
    .map(([type, value]) => `${type}${value}\0`)
    .join("");
  const message = Buffer.alloc(6 + fields.length);
  message.write("E");
  message.writeInt32BE(5 + fields.length, 1);
  message.write(`${fields}\0`, 5);
  return message;
}
