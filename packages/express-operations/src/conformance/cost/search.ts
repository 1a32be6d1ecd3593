import { once } from "node:events";
import { connect } from "node:net";
import { setTimeout as setTimeoutPromise } from "node:timers/promises";
import { type CostlySchema, costlySchemas } from "../../costly-schemas.ts";
import { type OpenApiDocument, operationsOf } from "../../document.ts";
import type { Credentials } from "../example-request.ts";
import { type GrowingInput, growingInputs, type RawRequest } from "./inputs.ts";

/** The server whose costs are measured. It has to run in this very thread, whose CPU time is what is measured. */
export interface CostTarget {
  /** Where the operations are served, such as `http://127.0.0.1:3000/v1`. */
  baseUrl: string;
  /** What entitles a request to an operation. */
  credentials?: (operationId: string) => Credentials;
  /** The most bytes of head and of body that the server reads, in service. */
  limits: Record<GrowingInput["part"], number>;
  /** Whether this very server reads `GROWTH` times as much, so that it shows better how costs grow. Default: false. */
  readsMore?: boolean;
  /** The most that one request may cost, in milliseconds. Default: 20. */
  most?: number;
  /** Which inputs to measure, by operationId and title. Default: all, which are a thousand and more for an operation. */
  measures?: (operationId: string, input: string) => boolean;
}

/** What an input costs the server. */
export interface Cost {
  operationId: string;
  /** Which input grows and of what it consists. */
  input: string;
  /** The status of the answer to the largest within the limits. */
  status: number;
  /** The time that the largest within the limits takes: CPU time of the thread, or less than `QUICK` by the clock. */
  milliseconds: number;
  /** How many times as long an input of `GROWTH` times the size takes. */
  growth: number;
  /** What is wrong with it, if anything. */
  fault?: string;
}

/** What the inputs of a document cost, those first that cost most. */
export interface CostReport {
  /** The schemas whose costs are their own. */
  excluded: CostlySchema[];
  costs: Cost[];
  /** What is at fault, a sentence each. */
  faults: string[];
}

/**
 * Measures what requests cost by their size: for each operation every input that a client chooses the size of, such as
 * names, values, brackets, escapes, lists, cookies, nesting, numbers, parts. Costs that grow faster than the input, that
 * are beyond `most`, or that end in a 5xx are faults. What `costlySchemas` names is left out. Requests are real: what a
 * valid one writes stays written.
 */
export async function searchCosts(document: OpenApiDocument, target: CostTarget): Promise<CostReport> {
  const excluded: CostlySchema[] = [];
  const costs: Cost[] = [];
  const { measures = () => true } = target;
  for (const entry of operationsOf(document)) {
    const costly = await costlySchemas(document, entry);
    excluded.push(...costly);
    for (const input of growingInputs(document, entry)) {
      const isCostly = costly.some(({ of }) => of === input.of);
      if (!isCostly && measures(entry.id, input.title)) costs.push(await measureCost(input, target));
    }
  }
  costs.sort((one, other) => other.milliseconds - one.milliseconds);
  const faults = costs.flatMap(({ operationId, input, fault }) => (fault ? `${operationId}: ${input} ${fault}.` : []));
  return { excluded, costs, faults };
}

/** How many times as large the larger of two inputs is that are compared. */
const GROWTH = 8;
/** What GROWTH times the size may cost: half again the exponent of what is linear, as garbage and caches weigh on large inputs. */
const MOST_GROWTH = GROWTH ** 1.5;
/** Below, an input costs too little, in milliseconds, to tell how it grows from what any request costs. */
const FLOOR = 4;
/** What takes less by the clock than so many milliseconds, at its largest, is not measured more closely. */
const QUICK = 3;
/** What the rest of a request takes of the limits, in bytes. */
const ROOM = 1_000;
/** How often a request is repeated at most, as the least of several times is the one that others disturbed least. */
const REPEATS = 6;

/**
 * Measures what one input costs. An input that takes little by the clock costs no more than that; any other is measured by
 * CPU time, several times, as the least is the one that other work disturbed least.
 */
async function measureCost(input: GrowingInput, target: CostTarget): Promise<Cost> {
  const { limits, readsMore = false, most = 20 } = target;
  const limit = limits[input.part] - ROOM;
  const large = readsMore ? limit * GROWTH : limit;
  const sizes = [...new Set([large / GROWTH, limit, large])];
  const least = new Map(sizes.map((size) => [size, Infinity]));
  let status = 0;
  const cost = (fault?: string): Cost => ({
    operationId: input.operationId,
    input: input.title,
    status,
    milliseconds: least.get(limit)!,
    growth: least.get(large)! / least.get(large / GROWTH)!,
    ...(fault !== undefined && { fault }),
  });
  for (let repeat = 0; ; repeat++) {
    for (const size of sizes) {
      const sent = await send(input.request(size), target, input.operationId, repeat > 0);
      if (size === limit) ({ status } = sent);
      least.set(size, Math.min(least.get(size)!, sent.milliseconds));
      if (sent.status >= 500) return cost(`is answered with ${sent.status}`);
      if (size === limit && sent.milliseconds > most) break; // a larger one might take minutes
    }
    const isQuick = repeat === 0 && Math.max(...least.values()) < QUICK;
    const fault = isQuick ? undefined : faultOf(least.get(limit)!, least.get(large)!, least.get(large / GROWTH)!, most);
    if (isQuick || (fault === undefined ? repeat > 1 : repeat === REPEATS)) return cost(fault);
  }
}

function faultOf(limit: number, large: number, small: number, most: number): string | undefined {
  if (limit > most) return `costs ${limit.toFixed(1)} ms, more than ${most}`;
  if (large < FLOOR || large / small < MOST_GROWTH) return undefined;
  const figures = `${small.toFixed(2)} and ${large.toFixed(2)} ms`;
  return `costs ${(large / small).toFixed(1)} times as much for ${GROWTH} times the size (${figures})`;
}

/** Sends a request on a connection of its own, and gives the time until the connection has ended, by the clock or of the CPU. */
async function send(
  request: RawRequest,
  { baseUrl, credentials }: CostTarget,
  operationId: string,
  byCpu: boolean,
): Promise<{ status: number; milliseconds: number }> {
  const { hostname, port, pathname } = new URL(baseUrl);
  const bytes = encode(request, pathname, `${hostname}:${port}`, credentials?.(operationId));
  const socket = connect(Number(port), hostname);
  await once(socket, "connect");
  let head = "";
  socket.on("data", (chunk) => (head ||= chunk.toString("latin1", 0, 12)));
  socket.on("error", () => {}); // a server may end a connection that it has answered and that still sends
  const closed = new Promise((ended) => socket.once("close", ended));
  const timeOut = setTimeout(() => socket.destroy(), 30_000);
  const start = byCpu ? await cpuTime() : performance.now();
  socket.write(bytes);
  await closed;
  const milliseconds = (byCpu ? await cpuTime() : performance.now()) - start;
  clearTimeout(timeOut);
  return { status: Number(head.slice(9)), milliseconds };
}

function encode(
  { method, authority, target, headers, body }: RawRequest,
  basePath: string,
  host: string,
  credentials: Credentials = {},
): Buffer {
  const query = Object.entries(credentials.query ?? {}).map((pair) => pair.map(encodeURIComponent).join("="));
  const granted = query.length === 0 ? target : target + (target.includes("?") ? "&" : "?") + query.join("&");
  const own = new Set(headers.map(([name]) => name.toLowerCase()));
  const framing: [string, string][] = [["Host", host], ...Object.entries(credentials.headers ?? {})];
  const bytes = Buffer.from(body ?? "");
  const lines = [
    ...framing.filter(([name]) => !own.has(name.toLowerCase())),
    ...headers,
    ["Connection", "close"],
    ...(body === undefined ? [] : [["Content-Length", String(bytes.length)]]),
  ].map((pair) => `${pair.join(": ")}\r\n`);
  const origin = authority === undefined ? "" : `http://${authority}`;
  const head = `${method} ${origin}${basePath.replace(/\/$/, "")}${granted} HTTP/1.1\r\n${lines.join("")}\r\n`;
  return Buffer.concat([Buffer.from(head, "latin1"), bytes]);
}

/**
 * The CPU time of this thread, in milliseconds; before Node 23.9 that of all threads. Linux accounts for it when a thread
 * pauses, so this one does.
 */
async function cpuTime(): Promise<number> {
  const { idle } = performance.eventLoopUtilization();
  do await setTimeoutPromise(1);
  while (performance.eventLoopUtilization().idle === idle);
  const { user, system } = (process as Partial<NodeJS.Process>).threadCpuUsage?.() ?? process.cpuUsage();
  return (user + system) / 1_000;
}
