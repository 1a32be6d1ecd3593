import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { text } from "node:stream/consumers";
import { document } from "@petstore/contract/document";
import { temporaryFolder } from "@platform/test-support/temporary";
import { type Cost, type CostTarget, searchCosts } from "express-operations/conformance";
import { cpuSecondsOf, megabytesOf } from "@platform/test-support/machine";
import { startService } from "../petstore.ts";
import { startProgram } from "../program.ts";

/** Factor on the promised 20 ms, as other work shares the machine; `COST_PATIENCE=1` on a quiet one. */
const PATIENCE = Number(process.env["COST_PATIENCE"] ?? 3);

/** Makes the service read the headers of proxies as far as possible. */
const TRUSTING = { TRUST_PROXY: "32" };

/** Measures requests to the operations of the contract. */
export async function costsOfContract(isMeasured?: CostTarget["isMeasured"]) {
  await using service = await startService(TRUSTING);
  const { costs, excluded, faults } = await searchCosts(document, {
    baseUrl: service.baseUrl,
    credentials: () => ({ headers: { Authorization: `Bearer ${service.key}` } }),
    limits: { head: 16_384, target: 8_192, body: 65_536 },
    maxMilliseconds: 20 * PATIENCE,
    ...(isMeasured && { isMeasured }),
  });
  print(costs);
  return { costs, faults: [...excluded.map(({ operationId, reason }) => `${operationId}: ${reason}`), ...faults] };
}

/** Measures requests to all that the service answers outside the contract. */
export async function costsBesideContract() {
  await using service = await startService(TRUSTING);
  const { origin } = new URL(service.baseUrl);
  const page = await (await fetch(`${origin}/docs`)).text();
  const [script] = /\/docs\/[^"]+/.exec(page)!;
  const paths = ["/healthz", "/readyz", "/docs", script, "/openapi.json", "/openapi.yaml", "/nothing"].map((path) => {
    return [path, { get: { operationId: path, responses: { 200: { description: "" } } } }];
  });
  const beside = { openapi: "3.1.0", paths: Object.fromEntries(paths) as object };
  const limits = { head: 16_384, target: 8_192, body: 65_536 };
  const report = await searchCosts(beside, { baseUrl: origin, limits, maxMilliseconds: 20 * PATIENCE });
  print(report.costs);
  return report;
}

/** The paths of all that the service answers, also with an error. */
export const PATHS = ["/openapi.yaml", "/openapi.json", "/docs", "/healthz", "/v1/pets", "/nothing"];

const CLIENTS = 100;

/**
 * Measures a service with a hundred clients that each send 57 KiB of requests for a path and read no response. Returns the growth
 * of its memory and the longest time of a health check. The service has served several such loads before, so that its code is
 * compiled and V8's heap has the size of a busy service: a first load adds up to 40 MB, whether its responses are read or not.
 */
export async function costsOfUnreadResponses(path: string) {
  const program = await startProgram(await temporaryFolder(), { LOG_LEVEL: "silent" }); // this busy process would read the log late
  const { hostname, port, origin } = new URL(program.baseUrl);
  const send = async (requests: string): Promise<Socket> => {
    const socket = connect(Number(port), hostname).on("error", () => {});
    await once(socket, "connect");
    socket.write(requests);
    return socket;
  };
  const line = `GET ${path} HTTP/1.1\r\nHost: x\r\n`;
  const last = `${line}Connection: close\r\n\r\n`;
  for (let round = 0; round < 5; round++)
    await Promise.all(Array.from({ length: CLIENTS }, async () => text(await send(`${line}\r\n`.repeat(50) + last))));
  await (await fetch(`${origin}/healthz`)).text(); // the first call of `fetch` loads it
  const before = megabytesOf(program.child.pid!);
  const count = Math.floor((57 * 1024) / (line.length + 2));
  const sockets = await Promise.all(Array.from({ length: CLIENTS }, () => send(`${line}\r\n`.repeat(count))));
  const costs = { megabytes: 0, milliseconds: 0 };
  for (let check = 0; check < 200; check++) {
    const start = performance.now();
    await (await fetch(`${origin}/healthz`)).text();
    costs.milliseconds = Math.max(costs.milliseconds, performance.now() - start);
    costs.megabytes = Math.max(costs.megabytes, megabytesOf(program.child.pid!) - before);
  }
  for (const socket of sockets) socket.destroy();
  console.log(`${path}: ${costs.megabytes.toFixed(1)} MB, ${costs.milliseconds.toFixed(0)} ms`);
  return costs;
}

/** The most time of a health check while clients do not read. Where other work shares the machine, only its order is known. */
export const MOST_DELAY = PATIENCE === 1 ? 100 : 2_000;
/** The most CPU time of a request, in milliseconds. */
export const MOST_CPU = 20 * PATIENCE;

/** Measures bodies of 60,000 chunks of a byte. Returns the CPU time of a request in milliseconds by what it is sent to. */
export async function costsOfChunks(): Promise<Record<string, number>> {
  const program = await startProgram(await temporaryFolder());
  const { hostname, port } = new URL(program.baseUrl);
  const key = `Authorization: Bearer ${program.key}\r\n`;
  const targets = { "with a key": ["/v1/pets", key], "without a key": ["/v1/pets", ""], "/healthz": ["/healthz", ""] };
  const costs: Record<string, number> = {};
  for (const [name, [path, credential]] of Object.entries(targets)) {
    const head = `POST ${path} HTTP/1.1\r\nHost: x\r\n${credential}Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n`;
    const request = `${head}Connection: close\r\n\r\n${"1\r\nx\r\n".repeat(60_000)}0\r\n\r\n`;
    const before = cpuSecondsOf(program.child.pid!);
    for (let round = 0; round < 10; round++) {
      const socket = connect(Number(port), hostname).on("error", () => {});
      socket.write(request);
      await text(socket);
    }
    costs[name] = (cpuSecondsOf(program.child.pid!) - before) * 100;
  }
  console.log(costs);
  return costs;
}

function print(costs: Cost[]): void {
  const lines = costs.slice(0, 5).map(({ operationId, input, status, milliseconds }) => {
    return `${milliseconds.toFixed(2)} ms, ${status}: ${operationId}, ${input}`;
  });
  console.log([`${costs.length} inputs, the most expensive:`, ...lines].join("\n"));
}
