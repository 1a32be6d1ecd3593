import { spawn } from "node:child_process";
import { hasSubscribers } from "node:diagnostics_channel";
import { once } from "node:events";
import { closeSync, openSync, readSync } from "node:fs";
import { parse } from "node:querystring";
import express, { type ErrorRequestHandler } from "express";
import * as OpenApiValidator from "express-openapi-validator";
import { expect, test } from "vitest";
import { searchCosts } from "../src/conformance/conformance.ts";
import type { OpenApiDocument } from "../src/index.ts";
import { costsOf, print, serve } from "./cost.ts";
import { document } from "./fixtures/market.ts";
import { document as zoo } from "./fixtures/zoo.ts";
import { listen } from "./listen.ts";

/** Inputs that once cost too much, each for a different reason. */
const NOTORIOUS = [
  "query undeclared[k0]=1&undeclared[k1]=1&…",
  "query tags[k0]=1&tags[k1]=1&…",
  "path {id}.{revision}.json ..…",
  'header Accept: \\"\\"…',
  "body application/json [1.0,1.0,…1.0]",
];
/** Samples the other inputs. Each run starts at another one; `COST_START` repeats a failed run. */
const STRIDE = 240;
const START = Number(process.env["COST_START"] ?? Math.floor(Math.random() * STRIDE));

test("no request takes more time than its size justifies: notorious inputs, and a sample of all", async () => {
  console.log(`COST_START=${START}`);
  let count = START;
  const isMeasured = (_id: string, input: string) => NOTORIOUS.includes(input) || count++ % STRIDE === 0;
  const report = await costsOf(document, serve(document), { isMeasured });
  print(report);
  expect(report.faults).toEqual([]);
  expect(report.costs.map(({ input }) => input)).toEqual(expect.arrayContaining(NOTORIOUS));
  expect(report.costs.length).toBeGreaterThan(30);
  const times = report.costs.map(({ milliseconds }) => milliseconds);
  expect(times).toEqual(times.toSorted((one, other) => other - one));
  expect(new Set(report.costs.map(({ operationId }) => operationId)).size).toBe(5);
  expect(report.costs.filter(({ status }) => status === 200).length).toBeGreaterThan(report.costs.length / 4);
});

const limitParameter = /^query limit(=aa|\[k0\]=1)/;
const onLimit = (operationId: string, input: string) => operationId === "findAnimals" && limitParameter.test(input);

test("the search finds the cost of express-openapi-validator for names in brackets", async () => {
  const plain = OpenApiValidator.middleware({ apiSpec: structuredClone(zoo) as never, validateApiSpec: false });
  const handler = express().use(plain, ((_error, _request, response, _next) => {
    response.status(400).end();
  }) as ErrorRequestHandler);
  handler.set("query parser", (query: string) => parse(query, "&", "=", { maxKeys: 0 })); // the parser of Express reads only 1,000 names
  const { costs, faults } = await costsOf(zoo, handler, {
    isMeasured: onLimit,
    limits: { head: 32_768, body: 65_536 },
    acceptsEightfold: false,
  });
  expect(costs).toHaveLength(2);
  expect(faults).toEqual([
    expect.stringMatching(/^findAnimals: query limit\[k0\]=1&limit\[k1\]=1&… takes [\d.]+ (ms, more|times as long)/),
  ]);
});

test("the search reports inputs without a response, with a 5xx, or rejected for their size", async () => {
  const failing = (status: number) => express().use((_request, response) => void response.status(status).end());
  const faultsOf = async (handler: express.RequestHandler) =>
    (await costsOf(zoo, handler, { isMeasured: (id, input) => onLimit(id, input) && input.includes("aa") })).faults;
  expect(await faultsOf(failing(200))).toEqual([]);
  expect(await faultsOf(failing(503))).toEqual(["findAnimals: query limit=aa… gets a 503."]);
  expect(await faultsOf(failing(431))).toEqual([
    expect.stringMatching(/ is rejected for its size \(431\): set `limits`/),
  ]);
  for (const status of [413, 414])
    expect(await faultsOf(failing(status))).toEqual([expect.stringContaining(`(${status})`)]);
  const deaf = express().use((request) => void request.socket.destroy());
  expect(await faultsOf(deaf)).toEqual(["findAnimals: query limit=aa… gets no response."]);
  await expect(faultsOf(failing(401))).rejects.toThrow('Operation "findAnimals" responded with 401: set `credentials`');
});

test("the search excludes inputs of a costly schema, and lists the schema", async () => {
  const costly: OpenApiDocument = structuredClone(zoo);
  const schemas = costly.components as { schemas: { Kind: object } };
  schemas.schemas.Kind = { type: "string", pattern: "^(a+)+$" };
  const isMeasured = (id: string, input: string) => id === "findAnimals" && /^query (kind|limit)=aa…/.test(input);
  const { costs, excluded } = await costsOf(costly, serve(costly), { isMeasured });
  expect(costs.map(({ input }) => input)).toEqual(["query limit=aa…"]);
  expect(excluded).toContainEqual(expect.objectContaining({ operationId: "findAnimals", of: "query kind", at: "" }));
});

test("the search counts the time that the server spends in the operating system", async () => {
  const file = openSync(process.execPath, "r");
  const bytes = Buffer.alloc(2 ** 20);
  const reading = express().use((_request, response) => {
    const { system } = process.threadCpuUsage();
    while (process.threadCpuUsage().system - system < 20_000) readSync(file, bytes, 0, bytes.length, 0);
    response.end();
  });
  const isMeasured = (id: string, input: string) => onLimit(id, input) && input.includes("aa");
  const { faults } = await costsOf(zoo, reading, { isMeasured, maxMilliseconds: 6 }).finally(() => closeSync(file));
  expect(faults).toEqual([expect.stringMatching(/^findAnimals: query limit=aa… takes \d{2,}\.\d ms, more than 6\.$/)]);
});

test("the search rejects a server of another process", async () => {
  const program = `require("http").createServer((_, a) => a.end()).listen(0, function () { console.log(this.address().port) })`;
  const child = spawn(process.execPath, ["-e", program], { stdio: ["ignore", "pipe", "inherit"] });
  try {
    const [port] = (await once(child.stdout, "data")) as [Buffer];
    const search = searchCosts(zoo, { baseUrl: `http://127.0.0.1:${Number(port)}`, limits: { head: 1e4, body: 1e4 } });
    await expect(search).rejects.toThrow(/does not run in this thread/);
  } finally {
    child.kill();
  }
});

test("the search sends complete inputs up to the limits, and eight times larger ones if the server accepts them", async () => {
  const lengths: number[] = [];
  const counting = express().use((request, response) => {
    let length = 0;
    request.on("data", (chunk: Buffer) => (length += chunk.length));
    request.on("end", () => {
      lengths.push(length);
      response.end();
    });
  });
  const isMeasured = (id: string, input: string) => id === "addAnimal" && input === "body application/json aa…";
  const limits = { head: 16_384, body: 9_000 };
  const lengthsOf = async (acceptsEightfold: boolean) => {
    lengths.length = 0;
    const { costs, faults } = await costsOf(zoo, counting, { isMeasured, limits, acceptsEightfold });
    expect([costs.length, faults]).toEqual([1, []]);
    expect(costs[0]!.milliseconds).toBeGreaterThan(0);
    return new Set(lengths.slice(1)); // the first request checks that the server responds
  };
  expect(await lengthsOf(false)).toEqual(new Set([1_000, 8_000]));
  expect(await lengthsOf(true)).toEqual(new Set([8_000, 64_000]));
});

test("the search reports the status of the largest input within the limits, and the growth of its time", async () => {
  const busy = express().use(({ headers }, response) => {
    const isLarge = Number(headers["content-length"]) > 4_000;
    const { user } = process.threadCpuUsage();
    while (process.threadCpuUsage().user - user < (isLarge ? 80_000 : 10_000));
    response.status(isLarge ? 202 : 200).end();
  });
  const isMeasured = (id: string, input: string) => id === "addAnimal" && input === "body application/json aa…";
  const limits = { head: 16_384, body: 9_000 };
  const { costs } = await costsOf(zoo, busy, { isMeasured, limits, acceptsEightfold: false, maxMilliseconds: 9_000 });
  expect(costs).toEqual([expect.objectContaining({ status: 202 })]);
  expect(costs[0]!.growth).toBeGreaterThan(1);
  expect(costs[0]!.growth).toBeLessThan(40);
});

test("the search sends a faulty input seven times in each size, because other work may be the cause", async () => {
  const seen = new Map<string, number>();
  const failing = express().use(({ originalUrl }, response) => {
    seen.set(originalUrl, (seen.get(originalUrl) ?? 0) + 1);
    response.status(503).end();
  });
  const isMeasured = (id: string, input: string) => id === "findAnimals" && input === "authority aa…";
  const { faults } = await costsOf(zoo, failing, { isMeasured, limits: { head: 1_100, body: 9_000 } });
  expect(faults).toEqual(["findAnimals: authority aa… gets a 503."]);
  const [asked, ...sent] = [...seen].map(([url, times]) => [url.replace(/a{2,}/, ({ length }) => `${length}`), times]);
  expect(asked).toEqual(["/animals", 1]);
  expect(sent).toEqual([
    ["http://100/animals", 7],
    ["http://800/animals", 7],
  ]);
});

test("the search allows an input beyond the limits to be rejected for its size", async () => {
  const strict = express().use(({ headers }, response) => {
    response.status(Number(headers["content-length"]) > 8_000 ? 413 : 200).end();
  });
  const isMeasured = (id: string, input: string) => id === "addAnimal" && input === "body application/json aa…";
  const report = await costsOf(zoo, strict, { isMeasured, limits: { head: 16_384, body: 9_000 } });
  expect([report.costs.length, report.faults]).toEqual([1, []]);
});

test("the search accepts a server in its thread that calls another server", async () => {
  await using other = await listen((_request, response) => void response.end());
  const asking = express().use((_request, response) => void fetch(other.baseUrl).then(() => response.end()));
  const isMeasured = (id: string, input: string) => onLimit(id, input) && input.includes("aa");
  expect((await costsOf(zoo, asking, { isMeasured })).faults).toEqual([]);
});

test("the search sends an input only once in each size if the responses are fast", async () => {
  const sent = new Map<string, number>();
  const quick = express().use(({ url }, response) => {
    sent.set(url, (sent.get(url) ?? 0) + 1);
    response.end();
  });
  const isMeasured = (id: string, input: string) => id === "findAnimals" && input.startsWith("query limit");
  await costsOf(zoo, quick, { isMeasured, acceptsEightfold: false });
  expect(sent.size).toBeGreaterThan(100);
  const singles = [...sent.values()].filter((times) => times === 1);
  expect(singles.length).toBeGreaterThan(10); // other work may slow down the rest
});

test("the search stops observing servers at its end, even if it has failed", async () => {
  const name = "http.server.request.start";
  expect(hasSubscribers(name)).toBe(false);
  const quick = express().use((_request, response) => void response.end());
  await costsOf(zoo, quick, { isMeasured: (id, input) => onLimit(id, input) && input.includes("aa") });
  expect(hasSubscribers(name)).toBe(false);
  const closed = searchCosts(zoo, { baseUrl: "http://127.0.0.1:1", limits: { head: 1e4, body: 1e4 } });
  await expect(closed).rejects.toThrow("ECONNREFUSED");
  expect(hasSubscribers(name)).toBe(false);
});
