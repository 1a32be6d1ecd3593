import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { METHODS } from "node:http";
import { join } from "node:path";
import { type ErrorBody, type ErrorCode, ERRORS } from "@openapi-operations/service/errors";
import { temporaryFolder } from "@platform/test-support/temporary";
import { normalizePath } from "express-operations";
import { responseValidator } from "express-operations/conformance";
import * as fc from "fast-check";
import { expect, onTestFinished, test } from "vitest";
import { pathOf } from "../start.ts";
import { document } from "../things.document.ts";
import { plainRequests } from "./attempts.ts";
import { type Fuzzed, fuzzedRequests } from "./fuzzed-requests.ts";
import { bytesOf, Wire, type WireAnswer } from "./wire.ts";

/** `pnpm --filter @openapi-operations/api-keys test:fuzz` sends 100,000. A failure prints its seed, for `FUZZ_SEED`. */
const RUNS = Number(process.env["FUZZ_RUNS"] ?? 2_000);
const SEED = process.env["FUZZ_SEED"];
/** The maximum growth of memory in a run. Caches fill up, but an entry for each request would take many times this. */
const GROWTH_MIB = 4;
const MIB = 2 ** 20;

/** The paths outside the contract, for operators and readers. */
const OPERATORS_PATH = /^\/(healthz|readyz|docs\/?|openapi\.(json|yaml))?(?=[?#]|$)/;

const BASE_PATH = "/v1";
const validateResponse = responseValidator(document);

test(
  `${RUNS} fuzzed requests cause no 5xx except 501 for unknown methods and codings, no response outside the contract, and no growth of memory`,
  { timeout: 1_800_000 },
  async () => {
    const { baseUrl, key, memory } = await startServer();
    using wire = new Wire(baseUrl);
    const statuses: Record<number, number> = {};
    const heldMiB: number[] = [];
    let slowest = 0;
    let sent = 0;
    const property = fc.asyncProperty(fuzzedRequests(plainRequests(document, BASE_PATH), key), async (request) => {
      const start = performance.now();
      const answer = await wire.sendBytes(bytesOf(request), request.method === "HEAD", request.isBroken);
      slowest = Math.max(slowest, performance.now() - start);
      statuses[answer.status] = (statuses[answer.status] ?? 0) + 1;
      await expectWithinContract(request, answer);
      if (++sent % (RUNS / 4) === 0) heldMiB.push((await memory()) / MIB);
    });
    await fc.assert(property, { numRuns: RUNS, ...(SEED !== undefined && { seed: Number(SEED) }) });

    const rounded = heldMiB.map((held) => Number(held.toFixed(1)));
    console.log({ requests: sent, statuses, slowestMs: Math.round(slowest), heldMiBAtEachQuarter: rounded });
    expect(heldMiB.at(-1)! - heldMiB[0]!).toBeLessThan(GROWTH_MIB);
    for (const status of [200, 201, 400, 401, 404, 405, 406, 413, 415, 417, 431, 501])
      expect(statuses).toHaveProperty(String(status));
  },
);

async function expectWithinContract(request: Fuzzed, answer: WireAnswer): Promise<void> {
  const { method } = request;
  const target = normalizePath(request.target);
  if (answer.status >= 400 && answer.text !== "") expectError(answer, mayBeUnknown(request));
  if (!answer.headers.has("X-Request-Id")) return; // rejected by Node's parser, before there was a request
  if (target.startsWith(`${BASE_PATH}/`))
    await validateResponse({ method, target: target.slice(BASE_PATH.length) }, answer);
  else if (answer.status < 400 && !OPERATORS_PATH.test(target))
    throw new Error(`${method} ${target}: ${answer.status}`);
}

/** Returns whether a request may get 501, because its method or its transfer coding may be unknown. */
function mayBeUnknown({ method, headers, isBroken }: Fuzzed): boolean {
  return isBroken || !METHODS.includes(method) || headers.some(([name]) => name === "Transfer-Encoding");
}

function expectError({ status, text, headers }: WireAnswer, isUnknown: boolean): void {
  const body = JSON.parse(text) as ErrorBody;
  expect(body).toEqual({ code: expect.any(String), message: expect.any(String), status });
  expect(ERRORS[body.code as ErrorCode].status).toBe(status);
  if (!isUnknown || status !== 501) expect(status).toBeLessThan(500);
  expect(body.message.length).toBeLessThan(300);
  expect(headers.has("Allow")).toBe(status === 405);
}

/** Starts the service in its own process. `memory` returns the bytes that it holds after garbage collection. */
async function startServer(): Promise<{ baseUrl: string; key: string; memory: () => Promise<number> }> {
  const folder = await temporaryFolder();
  const env = { PATH: process.env["PATH"], PORT: "0", DATABASE_URL: `file:${folder}/things.db` };
  const server = spawn(process.execPath, ["--expose-gc", pathOf("fuzz-server")], {
    env,
    stdio: ["ignore", "ignore", "inherit", "ipc"],
  });
  const exited = once(server, "exit");
  onTestFinished(async () => {
    server.kill();
    await exited;
  });
  const { baseUrl } = await nextMessage<{ baseUrl: string }>(server);
  const key = (await readFile(join(folder, "quickstart.key"), "utf8")).trim();
  const memory = async () => {
    const message = nextMessage<{ bytes: number }>(server);
    server.send("memory");
    return (await message).bytes;
  };
  return { baseUrl, key, memory };
}

async function nextMessage<Message>(server: ChildProcess): Promise<Message> {
  const failed = once(server, "exit").then(([code]) => Promise.reject(new Error(`the server exited with ${code}`)));
  const [message] = (await Promise.race([once(server, "message"), failed])) as [Message];
  return message;
}
