import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import { connect } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { type CostlySchema, costlySchemas } from "../../document/costly-schemas.ts";
import { type OpenApiDocument, type OperationEntry, operationsOf } from "../../document/document.ts";
import type { Target } from "../exchange.ts";
import { baseRequest, type GrowingInput, growingInputs, type RawRequest } from "./inputs.ts";

/** The server to measure. It must run in the calling thread, because CPU time is measured per thread. */
export interface CostTarget extends Pick<Target, "baseUrl" | "credentials"> {
  /** The server's limits in bytes: of request line and headers, of the request target in it if that has its own, and of the body. */
  limits: { head: number; target?: number; body: number };
  /** Whether this server accepts eight times `limits`, so that growth is measured beyond them. Default: false. */
  acceptsEightfold?: boolean;
  /** The most that one request may take, in milliseconds. Default: 20. */
  maxMilliseconds?: number;
  /** Selects inputs by operationId and title. Default: all, which are about a thousand for each operation. */
  isMeasured?: (operationId: string, input: string) => boolean;
}

/** What an input costs the server. */
export interface Cost {
  operationId: string;
  /** The input and its repeated text, such as `query a[k0]=1&a[k1]=1&…`. */
  input: string;
  /** The status of the largest input within the limits. */
  status: number;
  /** Time of the largest input within the limits: CPU time, or clock time if that is below 3 ms. */
  milliseconds: number;
  /** Factor by which the time grows when the size grows eightfold. */
  growth: number;
  /** What is wrong, if anything. */
  fault?: string;
}

/** What the inputs of a document cost. */
export interface CostReport {
  /** The most expensive input first. */
  costs: Cost[];
  /** A sentence for each input that is at fault. */
  faults: string[];
  /** Schemas that take more than linear time by themselves. Inputs of the parameters and bodies with them are not measured. */
  excluded: CostlySchema[];
}

/**
 * Measures what requests cost by their size. For each operation it sends large inputs of each kind: names, values, brackets,
 * escapes, path segments, headers, cookies, JSON, forms, multipart. An input is at fault if it takes longer than
 * `maxMilliseconds`, if its time grows much faster than its size, if it is answered with a 5xx or not at all, or if the server
 * refuses it for its size although it is within the limits. Requests are real: valid ones write. Rejects when the server does
 * not answer in this thread, or refuses the credentials.
 */
export async function searchCosts(document: OpenApiDocument, target: CostTarget): Promise<CostReport> {
  const { isMeasured = () => true } = target;
  const excluded: CostlySchema[] = [];
  const costs: Cost[] = [];
  for (const entry of operationsOf(document)) {
    const costly = await costlySchemas(document, entry);
    excluded.push(...costly);
    const credentials = target.credentials?.(entry.id) ?? {};
    const inputs = growingInputs(document, entry, credentials).filter(
      ({ title, of }) => isMeasured(entry.id, title) && !costly.some((schema) => of.includes(schema.of)),
    );
    if (inputs.length === 0) continue;
    await expectMeasurable(entry, baseRequest(document, entry, credentials), target);
    for (const input of inputs) costs.push(await measureCost(entry.id, input, target));
  }
  costs.sort((one, other) => other.milliseconds - one.milliseconds);
  const faults = costs.flatMap(({ operationId, input, fault }) => (fault ? `${operationId}: ${input} ${fault}.` : []));
  return { costs, faults, excluded };
}

/** Rejects when what is measured would not be the cost of an operation. */
async function expectMeasurable({ id }: OperationEntry, request: RawRequest, target: CostTarget): Promise<void> {
  const { port } = new URL(target.baseUrl);
  let isInThread = false;
  const notice = (message: unknown): void => {
    isInThread ||= (message as { request: IncomingMessage }).request.socket.localPort === Number(port || 80);
  };
  subscribe("http.server.request.start", notice);
  const { status } = await send(request, target, false).finally(() => unsubscribe("http.server.request.start", notice));
  if (status === 401 || status === 403) {
    throw new Error(`Operation "${id}" answers ${status}: give the search \`credentials\` that entitle to it.`);
  }
  if (!isInThread) {
    throw new Error(
      `The server at ${target.baseUrl} is not one of this thread, so its CPU time cannot be measured: start it where the search runs.`,
    );
  }
}

/** The larger of two inputs that are compared is this many times as large. */
const GROWTH = 8;
/** The most that eight times the size may cost. Linear is 8; garbage collection and caches add to that. */
const MAX_GROWTH = GROWTH ** 1.5;
/** Below this many milliseconds, growth says little: much of the time is that of any request. */
const MIN_COMPARED = 4;
/** An input that takes less clock time, in milliseconds, is not measured by CPU time. */
const QUICK = 3;
/** What the rest of a request takes of the limits, in bytes. */
const RESERVED = 1_000;
/** Other work does not explain a time that is this many times the most. */
const CLEARLY_OVER = 3;
/** How often a request is repeated at most. The least of several times is the one that other work disturbed least. */
const REPEATS = 6;

/**
 * Measures what one input costs. The first measurement is by the clock, because clock time is an upper bound of CPU time. An
 * input that takes longer is measured again by CPU time.
 */
async function measureCost(operationId: string, input: GrowingInput, target: CostTarget): Promise<Cost> {
  const { limits, acceptsEightfold = false, maxMilliseconds = 20 } = target;
  const limit = (limits[input.part] ?? limits.head) - RESERVED;
  const large = acceptsEightfold ? limit * GROWTH : limit;
  const small = Math.floor(large / GROWTH);
  const sizes = [...new Set([small, limit, large])];
  const times = new Map(sizes.map((size) => [size, Infinity]));
  let status = 0;
  const cost = (fault?: string): Cost => ({
    operationId,
    input: input.title,
    status,
    milliseconds: times.get(limit)!,
    growth: times.get(large)! / times.get(small)!,
    ...(fault !== undefined && { fault }),
  });
  for (let repeat = 0; ; repeat++) {
    let rejection: string | undefined;
    for (const size of sizes) {
      const sent = await send(input.request(size), target, repeat > 0);
      if (size === limit) ({ status } = sent);
      rejection ??= rejectionOf(sent.status, size <= limit);
      times.set(size, Math.min(times.get(size)!, sent.milliseconds));
      if (size === limit && sent.milliseconds > maxMilliseconds) break; // a larger one might take minutes
    }
    if (repeat === 0 && rejection === undefined && Math.max(...times.values()) < QUICK) return cost();
    const fault = rejection ?? faultOf(times.get(limit)!, times.get(small)!, times.get(large)!, maxMilliseconds);
    const isClear = times.get(limit)! > CLEARLY_OVER * maxMilliseconds;
    if (fault === undefined ? repeat > 1 : repeat === (isClear ? 1 : REPEATS)) return cost(fault);
  }
}

function rejectionOf(status: number, isWithinLimits: boolean): string | undefined {
  if (status >= 500) return `is answered with ${status}`;
  if (!isWithinLimits) return undefined;
  if (status === 0) return "is not answered";
  return status === 413 || status === 414 || status === 431
    ? `is refused for its size (${status}): set \`limits\` to those of the server`
    : undefined;
}

function faultOf(limit: number, small: number, large: number, maxMilliseconds: number): string | undefined {
  if (limit > maxMilliseconds) return `takes ${limit.toFixed(1)} ms, more than ${maxMilliseconds}`;
  if (large < MIN_COMPARED || large / small < MAX_GROWTH) return undefined;
  const figures = `${small.toFixed(2)} and ${large.toFixed(2)} ms`;
  return `takes ${(large / small).toFixed(1)} times as long for ${GROWTH} times the size (${figures})`;
}

/** Sends a request on a connection of its own, and measures until the connection has ended, by CPU time or by the clock. */
async function send(
  request: RawRequest,
  { baseUrl }: CostTarget,
  isByCpu: boolean,
): Promise<{ status: number; milliseconds: number }> {
  const { hostname, port, host, pathname } = new URL(baseUrl);
  const bytes = encode(request, pathname.replace(/\/$/, ""), host);
  const socket = connect(Number(port || 80), hostname.replace(/^\[|\]$/g, ""));
  await once(socket, "connect");
  let head = "";
  socket.on("data", (chunk) => (head ||= chunk.toString("latin1", 0, 12)));
  socket.on("error", () => {}); // a server may end a connection while the rest of a body arrives
  const closed = new Promise((ended) => socket.once("close", ended));
  const timeOut = setTimeout(() => socket.destroy(), 30_000);
  const start = isByCpu ? await cpuTime() : performance.now();
  socket.write(bytes);
  await closed;
  const milliseconds = (isByCpu ? await cpuTime() : performance.now()) - start;
  clearTimeout(timeOut);
  return { status: Number(head.slice(9)), milliseconds };
}

function encode({ method, authority, path, query, headers, body }: RawRequest, basePath: string, host: string): Buffer {
  const bytes = Buffer.from(body ?? "");
  const hasHost = headers.some(([name]) => name.toLowerCase() === "host");
  const lines = [
    ...(hasHost ? [] : [["Host", host]]),
    ...headers,
    ["Connection", "close"],
    ...(body === undefined ? [] : [["Content-Length", bytes.length]]),
  ].map(([name, value]) => `${name}: ${value}\r\n`);
  const origin = authority === undefined ? "" : `http://${authority}`;
  const head = `${method} ${origin}${basePath}${path}${query} HTTP/1.1\r\n${lines.join("")}\r\n`;
  return Buffer.concat([Buffer.from(head, "latin1"), bytes]);
}

/**
 * Returns the CPU time of this thread in milliseconds; before Node 23.9, that of the process. Linux updates it when a thread
 * sleeps, so this function sleeps first.
 */
async function cpuTime(): Promise<number> {
  const { idle } = performance.eventLoopUtilization();
  do await sleep(1);
  while (performance.eventLoopUtilization().idle === idle);
  const { user, system } = (process as Partial<NodeJS.Process>).threadCpuUsage?.() ?? process.cpuUsage();
  return (user + system) / 1_000;
}
