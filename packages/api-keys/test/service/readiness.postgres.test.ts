import { connect, createServer, type Socket } from "node:net";
import { SERVICE } from "@openapi-operations/command-line/name";
import { temporaryUrl } from "@openapi-operations/storage/testing";
import { execute } from "@platform/test-support/postgres";
import { temporaryFolder } from "@platform/test-support/temporary";
import { describe, expect, inject, onTestFinished, test } from "vitest";
import { creation, expectError, startProgram, startService } from "./start.ts";

describe("readiness", () => {
  test("/readyz returns 503 while PostgreSQL is read-only, as a standby is, and 200 once a probe is committed", async () => {
    await using service = await startService();
    const name = new URL(service.databaseUrl).pathname.slice(1);
    const others =
      "select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()";
    const setReadOnly = async (value: "on" | "off"): Promise<void> => {
      await execute(inject("postgresUrl")!, `alter database ${name} set default_transaction_read_only = ${value}`);
      await execute(service.databaseUrl, others); // the setting applies to new connections
    };
    const add = () => service.request("/things", creation("Rex"));
    const readyz = () => fetch(new URL("/readyz", service.baseUrl));
    await service.add();
    expect((await readyz()).status).toBe(200);

    await setReadOnly("on");
    await expectError(await add(), 503, "unavailable");
    await expect.poll(async () => (await service.request("/things/1")).status).toBe(200);
    await expect
      .poll(async () => expectError(await readyz(), 503, "unavailable"))
      .toBe("The database cannot be written.");

    await setReadOnly("off");
    await expect.poll(async () => (await readyz()).status).toBe(200);
    expect((await add()).status).toBe(201);
  });
});

describe("metrics", () => {
  const SAMPLES = new RegExp(`^${SERVICE.metricsPrefix}_(commit_batch_size_(sum|count)|wal_bytes) .*`, "gm");

  test("/metrics counts one commit for each write on PostgreSQL, and has no size of a write-ahead log", async () => {
    await using service = await startService({ METRICS_PORT: "0" });
    const samples = async () => (await (await fetch(service.metricsUrl!)).text()).match(SAMPLES);
    const commits = (count: number) => [
      `${SERVICE.metricsPrefix}_commit_batch_size_sum ${count}`,
      `${SERVICE.metricsPrefix}_commit_batch_size_count ${count}`,
    ];
    expect(await samples()).toEqual(commits(0));
    await Promise.all([service.add(), service.add(), service.add()]);
    expect([commits(3), commits(4)]).toContainEqual(await samples()); // the fourth is the last use of the key, saved after 3 s
  });
});

describe("a silent database server", () => {
  test("requests get 503 at the deadline while PostgreSQL hangs, and succeed once it responds again", async () => {
    const url = await temporaryUrl();
    const proxy = await startProxy(url);
    const service = await startService({ DATABASE_URL: `${proxy.url}?statement_timeout=500` });
    await service.add();
    proxy.hang();
    const start = performance.now();
    const answers = await Promise.all([
      ...Array.from({ length: 5 }, () => service.request("/things")),
      ...Array.from({ length: 5 }, () => service.request("/things", creation("Rex"))),
    ]);
    expect(performance.now() - start).toBeLessThan(3_500);
    for (const answer of answers) await expectError(answer, 503, "unavailable");
    proxy.resume();
    expect((await service.request("/things")).status).toBe(200);
    await service.add();
    await service[Symbol.asyncDispose]();
  });

  test("the service stops in time even if PostgreSQL hangs", async () => {
    const proxy = await startProxy(await temporaryUrl());
    const program = await startProgram(await temporaryFolder(), { DATABASE_URL: proxy.url, THINGS_ENV: "production" });
    expect((await fetch(new URL("/readyz", program.baseUrl))).status).toBe(200);
    proxy.hang();
    const start = performance.now();
    expect(await program.stop()).toBe(0);
    expect(performance.now() - start).toBeLessThan(5_000);
  }, 60_000);

  /** Starts a proxy between the service and PostgreSQL. While it hangs, it passes on neither data nor the end of a connection. */
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
});
