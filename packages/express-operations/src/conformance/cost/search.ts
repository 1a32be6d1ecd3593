import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import { connect } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { type CostlySchema, costlySchemas } from "../../costs/costly-schemas.ts";
import { type OpenApiDocument, type OperationEntry, operationsOf, readableDocument } from "openapi-document";
import type { Target } from "../exchange.ts";
import { baseRequest, type GrowingInput, growingInputs, type RawRequest } from "./inputs.ts";

/** The server to measure. It must run in the calling thread, because CPU time is measured per thread. */
export interface CostTarget extends Pick<Target, "baseUrl" | "credentials"> {
  /**
   * The server's limits in bytes: of the head (request line and headers), of the request target if it has its own
   * limit, and of the body.
   */
  limits: { head: number; target?: number; body: number };
  /** Whether this server accepts eight times `limits`, so that growth is measured beyond them. Default: false. */
  acceptsEightfold?: boolean;
  /** The longest time of one request, in milliseconds. Default: 20. */
  maxMilliseconds?: number;
  /** Selects inputs by operationId and title. Default: all, about a thousand for each operation. */
  isMeasured?: (operationId: string, input: string) => boolean;
}

/** The cost of one input. */
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
  /** The fault, if any. */
  fault?: string;
}

/** The costs of a document's inputs. */
export interface CostReport {
  /** The most expensive input first. */
  costs: Cost[];
  /** One sentence for each input with a fault. */
  faults: string[];
  /**
   * Schemas whose validation takes more than linear time. Inputs of parameters and bodies with such schemas are not
   * measured.
   */
  excluded: CostlySchema[];
}

/**
 * Measures the cost of requests by their size. For each operation it sends large inputs of each kind: names, values,
 * brackets, escapes, path segments, headers, cookies, JSON, forms, multipart. An input has a fault in four cases: it
 * takes longer than `maxMilliseconds`; its time grows much faster than its size; it gets a 5xx or no response; or the
 * server rejects it for its size although it is within the limits. Requests are real: valid ones write. Rejects if the
 * server runs in another thread or rejects the credentials.
 */
export async function searchCosts(given: OpenApiDocument, target: CostTarget): Promise<CostReport> {
  const document = readableDocument(given);
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

/** Rejects if the measurements would not be the cost of the operation. */
async function expectMeasurable({ id }: OperationEntry, request: RawRequest, target: CostTarget): Promise<void> {
  const { port } = new URL(target.baseUrl);
  let isInThread = false;
  const notice = (message: unknown): void => {
    isInThread ||= (message as { request: IncomingMessage }).request.socket.localPort === Number(port || 80);
  };
  subscribe("http.server.request.start", notice);
  const { status } = await send(request, target, false).finally(() => unsubscribe("http.server.request.start", notice));
  if (status === 401 || status === 403) {
    throw new Error(`Operation "${id}" responded with ${status}: set \`credentials\` that are valid for it.`);
  }
  if (!isInThread) {
    throw new Error(
      `The server at ${target.baseUrl} does not run in this thread, so its CPU time cannot be measured. Start it in the thread of the search.`,
    );
  }
}

/** The size ratio of the two inputs that are compared. */
const GROWTH = 8;
/**
 * The highest ratio of times for eight times the size. Linear growth is 8; garbage collection and caches add to that.
 */
const MAX_GROWTH = GROWTH ** 1.5;
/** Growth is not evaluated below this many milliseconds, because much of that time is common to all requests. */
const MIN_COMPARED = 4;
/** Inputs below this many milliseconds of clock time are not measured by CPU time. */
const QUICK = 3;
/** Bytes of the limits that are reserved for the rest of the request. */
const RESERVED = 1_000;
/** A time above this multiple of the maximum is not due to other work. */
const CLEARLY_OVER = 3;
/** The most repetitions of a request. The shortest time counts, because other work has disturbed that one least. */
const REPEATS = 6;

/**
 * Measures one input. The first measurement uses the clock, because clock time is an upper bound of CPU time. Slow
 * inputs are measured again by CPU time.
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
  if (status >= 500) return `gets a ${status}`;
  if (!isWithinLimits) return undefined;
  if (status === 0) return "gets no response";
  return status === 413 || status === 414 || status === 431
    ? `is rejected for its size (${status}): set \`limits\` to those of the server`
    : undefined;
}

function faultOf(limit: number, small: number, large: number, maxMilliseconds: number): string | undefined {
  if (limit > maxMilliseconds) return `takes ${limit.toFixed(1)} ms, more than ${maxMilliseconds}`;
  if (large < MIN_COMPARED || large / small < MAX_GROWTH) return undefined;
  const figures = `${small.toFixed(2)} and ${large.toFixed(2)} ms`;
  return `takes ${(large / small).toFixed(1)} times as long for ${GROWTH} times the size (${figures})`;
}

/** Sends a request on its own connection, and measures CPU time or clock time until the connection closes. */
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
  socket.on("error", () => {}); // a server may close the connection while it still receives the body
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
 * Returns the CPU time of this thread in milliseconds; before Node 23.9, that of the process. It sleeps first, because
 * Linux updates CPU time when a thread sleeps.
 */
async function cpuTime(): Promise<number> {
  const { idle } = performance.eventLoopUtilization();
  do await sleep(1);
  while (performance.eventLoopUtilization().idle === idle);
  const { user, system } = (process as Partial<NodeJS.Process>).threadCpuUsage?.() ?? process.cpuUsage();
  return (user + system) / 1_000;
}
