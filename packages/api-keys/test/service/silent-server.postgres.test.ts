import { connect, createServer, type Socket } from "node:net";
import { temporaryFolder, temporaryUrl } from "@platform/test-support/temporary";
import { expect, onTestFinished, test } from "vitest";
import { creation, expectError, startProgram, startService } from "./start.ts";

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
