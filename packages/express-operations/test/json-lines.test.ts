import { Readable } from "node:stream";
import { describe, expect, test } from "vitest";
import type { Violation } from "../src/index.ts";
import { endless, exchange, GET, serveStream, settle } from "./streaming.ts";

const ROW = { type: "object", required: ["id"], properties: { id: { type: "integer" } } };

async function* rows() {
  yield { id: 1, cost: 3 };
  yield { toJSON: () => ({ id: 2, cost: 3 }) };
}

test.each([
  ["application/jsonl", '{"id":1}\n{"id":2}\n'],
  ["application/x-ndjson", '{"id":1}\n{"id":2}\n'],
  ["application/x-jsonlines", '{"id":1}\n{"id":2}\n'],
  ["application/json-seq", '\x1e{"id":1}\n\x1e{"id":2}\n'],
  ["application/geo+json-seq", '\x1e{"id":1}\n\x1e{"id":2}\n'],
  ["application/jsonl; charset=utf-8", '{"id":1}\n{"id":2}\n'],
])("%s has one item a line, without undeclared fields", async (type, text) => {
  for (const declared of [{ schema: ROW }, { itemSchema: ROW }]) {
    const { url } = await serveStream({
      content: { [type]: declared },
      handler: () => ({ status: 200, body: rows() }),
    });
    const response = await fetch(url);
    expect([response.headers.get("Content-Type"), await response.text()]).toEqual([type, text]);
  }
});

test("rows of a readable in object mode are items", async () => {
  const { url } = await serveStream({
    content: { "application/jsonl": { schema: ROW } },
    handler: () => ({ status: 200, body: Readable.from([{ id: 1 }]) }),
  });
  expect(await (await fetch(url)).text()).toBe('{"id":1}\n');
});

test.each([
  ["a string", "not JSON"],
  ["bytes", Buffer.from("not JSON")],
  ["a readable of bytes", Readable.from([Buffer.from("not JSON")], { objectMode: false })],
])("%s is passed through", async (_title, body) => {
  const { url } = await serveStream({
    content: { "application/jsonl": { schema: ROW } },
    handler: () => ({ status: 200, body }),
  });
  expect(await (await fetch(url)).text()).toBe("not JSON");
});

describe("items that are available at once", () => {
  const content = { "application/jsonl": { schema: ROW } };
  const serve = (body: AsyncIterable<unknown>) => serveStream({ content, handler: () => ({ status: 200, body }) });

  test("are written before the producer waits for the next one", async () => {
    const { promise: received, resolve: onReceived } = Promise.withResolvers<void>();
    const paused = async function* () {
      yield { id: 1 };
      yield { id: 2 };
      await received;
      yield { id: 3 };
    };
    let text = "";
    for await (const chunk of await (await serve(paused())).open(GET)) {
      text += String(chunk);
      if (text.includes('{"id":2}')) onReceived();
    }
    expect(text).toContain('{"id":3}');
  });

  test("are written before an error closes the connection", async () => {
    const broken = async function* () {
      yield { id: 1 };
      yield { id: 2 };
      throw new Error("no more rows");
    };
    const server = await serve(broken());
    const received = await exchange(server, GET);
    expect(received).toContain('{"id":1}\n{"id":2}\n');
    expect(received.endsWith("\r\n0\r\n\r\n")).toBe(false);
    expect(server.errors.map(({ message }) => message)).toEqual(["no more rows"]);
  });

  test("are no longer asked for while the client does not read", async () => {
    const { iterator, state } = endless((id) => ({ id }));
    const server = await serve(iterator);
    const socket = await server.open(GET);
    const produced = await settle(() => state.produced);
    expect(produced).toBeLessThan(20_000_000);
    socket.destroy();
    await state.ended;
    expect(state.returned).toBe(1);
  });
});

describe("checkResponses", () => {
  const content = { "application/jsonl": { schema: ROW } };
  async function* invalid() {
    yield { id: 1 };
    yield { id: "2" };
    yield {};
  }

  test("reports the violations of each item with its index, and sends the items", async () => {
    const violations: Violation[] = [];
    const { url } = await serveStream({
      content,
      options: { checkResponses: "always", onViolation: (violation: Violation) => violations.push(violation) },
      handler: () => ({ status: 200, body: invalid() }),
    });
    expect(await (await fetch(url)).text()).toBe('{"id":1}\n{"id":"2"}\n{}\n');
    expect(violations).toEqual([
      { operationId: "x", status: 200, pointer: "/body/1/id", message: "must be integer", valueType: "string" },
      expect.objectContaining({ pointer: "/body/2/id", valueType: "undefined" }),
    ]);
  });

  test("checks all items of a response or none", async () => {
    const checked: string[] = [];
    const server = await serveStream({
      content,
      options: { checkResponses: { sample: 0.5 }, onViolation: ({ pointer }: Violation) => checked.push(pointer) },
      handler: () => ({ status: 200, body: invalid() }),
    });
    for (let request = 0; request < 40; request++) await exchange(server, GET);
    const [second, third] = ["/body/1/id", "/body/2/id"].map(
      (at) => checked.filter((pointer) => pointer === at).length,
    );
    expect(second).toBe(third);
    expect(second).toBeGreaterThan(3); // outside 4 to 36 once in 10^7 runs
    expect(second).toBeLessThan(37);
  });

  test("is a 500 if `onViolation` throws before the head", async () => {
    const server = await serveStream({
      content: { "application/jsonl": { schema: { type: "string" } } },
      options: { checkResponses: "always", onViolation: throwing },
      handler: () => ({ status: 200, body: invalid() }),
    });
    expect(await (await fetch(server.url)).json()).toEqual({ fault: "/body/0" });
  });

  test("ends the connection if `onViolation` throws after the head, like an error of the handler", async () => {
    const server = await serveStream({
      content,
      options: { checkResponses: "always", onViolation: throwing },
      handler: () => ({ status: 200, body: invalid() }),
    });
    expect(await exchange(server, GET)).toMatch(/\{"id":1\}\n\r\n$/);
    expect(server.errors.map(({ message }) => message)).toEqual(["/body/1/id"]);
  });

  test("checks the headers of a stream", async () => {
    const violations: Violation[] = [];
    const { url } = await serveStream({
      content,
      headers: { Total: { required: true, schema: { type: "integer" } } },
      options: { checkResponses: "always", onViolation: (violation: Violation) => violations.push(violation) },
      handler: () => ({ status: 200, body: rows() }),
    });
    await (await fetch(url)).text();
    expect(violations.map(({ pointer }) => pointer)).toEqual(["/headers/Total"]);
  });
});

test("a cacheable handler with a stream is called for each request", async () => {
  let calls = 0;
  const handler = { isCacheable: true as const, handler: () => (calls++, { status: 200, body: rows() }) };
  const { url } = await serveStream({
    content: { "application/jsonl": { schema: ROW } },
    options: { cache: { version: () => 1 } },
    handler,
  });
  const texts = await Promise.all([1, 2, 3].map(async () => (await fetch(url)).text()));
  expect([new Set(texts).size, texts[0], calls]).toEqual([1, '{"id":1}\n{"id":2}\n', 3]);
});

function throwing({ pointer }: Violation): never {
  throw new Error(pointer);
}
