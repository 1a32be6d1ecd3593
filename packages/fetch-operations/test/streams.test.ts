import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import type { RequestListener, ServerResponse } from "node:http";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { generatedClient, type GeneratedClient } from "./generated-client.ts";
import { serve, type TestServer } from "./shop.ts";
import { ref } from "./schemas.ts";

describe("streams", () => {
  async function stream(type: string, schema: object, listener: RequestListener, options: object = {}, method = "get") {
    const responses = { 200: { description: "", content: { [type]: { schema } } } };
    const document = {
      openapi: "3.1.1",
      info: { title: "T", version: "1" },
      paths: { "/x": { [method]: { operationId: "watch", responses } } },
    };
    const client = await generatedClient(document);
    const server = await serve(listener);
    const watch = client.create({ baseUrl: server.baseUrl, ...options })["watch"]!;
    return {
      watch: async (callOptions?: object) =>
        (await watch({}, callOptions).orThrow()) as AsyncIterableIterator<{ id: string; data: unknown; event: string }>,
      [Symbol.asyncDispose]: async () => {
        client[Symbol.dispose]();
        await server[Symbol.asyncDispose]();
      },
    };
  }

  const object = { type: "object" };

  describe("Server-Sent Events", () => {
    test("are typed values, in every notation of the standard", async () => {
      const text =
        '\uFEFF: comment\ndata: {"a":\ndata: 1}\n\nevent: added\r\nid: 7\r\ndata:2\r\n\r\nid\ndata: "x"\n\nunknown: 1\n\ndata: 4';
      await using service = await stream("text/event-stream", object, (_request, response) => {
        response.writeHead(200, { "Content-Type": "text/event-stream" });
        for (const byte of Buffer.from(text)) response.write(Buffer.of(byte));
        response.end();
      });
      expect(await Array.fromAsync(await service.watch())).toEqual([
        { event: "message", data: { a: 1 }, id: "" },
        { event: "added", data: 2, id: "7" },
        { event: "message", data: "x", id: "" },
      ]);
    });

    test("are texts, if their schema is a text", async () => {
      await using service = await stream("text/event-stream", { type: "string" }, (_request, response) => {
        response.writeHead(200, { "Content-Type": "text/event-stream" }).end("data: a\ndata: b\n\n");
      });
      expect(await Array.fromAsync(await service.watch())).toEqual([{ event: "message", data: "a\nb", id: "" }]);
    });

    test("arrive before the stream ends, beyond attemptTimeout, and leaving the loop ends the request", async () => {
      const closed = Promise.withResolvers<void>();
      await using service = await stream(
        "text/event-stream",
        object,
        (_request, response) => {
          response.on("close", closed.resolve);
          response.writeHead(200, { "Content-Type": "text/event-stream" }).write("data: 1\n\n");
          void setTimeout(300).then(() => response.write("data: 2\n\n"));
        },
        { attemptTimeout: 200, timeout: 250 },
      );
      const seen: unknown[] = [];
      for await (const { data } of await service.watch()) if (seen.push(data) === 2) break;
      expect(seen).toEqual([1, 2]);
      await closed.promise;
    });

    test("resume after a broken connection with Last-Event-ID", async () => {
      const ids: unknown[] = [];
      await using service = await stream("text/event-stream", object, (request, response) => {
        ids.push(request.headers["last-event-id"]);
        const next = ids.length;
        response.writeHead(200, { "Content-Type": "text/event-stream" });
        response.write(`retry: 1\nid: ${next}\ndata: ${next}\n\nid: lost\ndata: `, () =>
          next < 3 ? response.destroy() : response.end(),
        );
      });
      const events = await Array.fromAsync(await service.watch());
      expect(events.map(({ data }) => data)).toEqual([1, 2, 3]);
      expect(ids).toEqual([undefined, "1", "2"]);
    });

    test.each<[title: string, text: string, method: string]>([
      ["without an id", "data: 1\n\n", "get"],
      ["of an operation that is not safe to repeat", "id: 1\ndata: 1\n\n", "post"],
    ])("throw after a broken connection %s", async (_title, text, method) => {
      let count = 0;
      await using service = await stream(
        "text/event-stream",
        object,
        (_request, response) => {
          count++;
          response.writeHead(200, { "Content-Type": "text/event-stream" }).write(text, () => response.destroy());
        },
        {},
        method,
      );
      await expect(Array.fromAsync(await service.watch())).rejects.toMatchObject({
        name: "ThingError",
        code: "network_error",
      });
      expect(count).toBe(1);
    });

    test("resume if no byte arrives for idleTimeout", async () => {
      const ids: unknown[] = [];
      await using service = await stream(
        "text/event-stream",
        object,
        (request, response) => {
          const next = ids.push(request.headers["last-event-id"]);
          response.writeHead(200, { "Content-Type": "text/event-stream" });
          response.write(`retry: 1\nid: ${next}\ndata: ${next}\n\n`);
          if (next === 2) response.end();
        },
        { idleTimeout: 100 },
      );
      expect((await Array.fromAsync(await service.watch())).map(({ data }) => data)).toEqual([1, 2]);
      expect(ids).toEqual([undefined, "1"]);
    });

    test("end with the signal", async () => {
      await using service = await stream("text/event-stream", object, (_request, response) => {
        response.writeHead(200, { "Content-Type": "text/event-stream" }).write("id: 1\ndata: 1\n\n");
      });
      const controller = new AbortController();
      const events = await service.watch({ signal: controller.signal });
      await events.next();
      controller.abort();
      await expect(events.next()).rejects.toMatchObject({ name: "ThingError", code: "aborted" });
    });
  });

  describe("JSON values", () => {
    test.each<[type: string, text: string]>([
      ["application/jsonl", '{"a":1}\n\n[2]\n"é"'],
      ["application/x-ndjson", '{"a":1}\r\n[2]\n"é"\n'],
      ["application/json-seq", '\u001e{"a":1}\n\u001e[2]\n\u001e"é"\n'],
    ])("of %s arrive one by one", async (type, text) => {
      await using service = await stream(type, {}, (_request, response) => {
        response.writeHead(200, { "Content-Type": type });
        for (const byte of Buffer.from(text)) response.write(Buffer.of(byte));
        response.end();
      });
      expect(await Array.fromAsync(await service.watch())).toEqual([{ a: 1 }, [2], "é"]);
    });

    test("of which no byte arrives for idleTimeout end with their request, but a slow reader is waited for", async () => {
      const closed = Promise.withResolvers<void>();
      let sent!: ServerResponse;
      await using service = await stream("application/jsonl", {}, (_request, response) => {
        sent = response.on("close", closed.resolve);
        response.writeHead(200, { "Content-Type": "application/jsonl" }).write("1\n");
      });
      const values = await service.watch({ idleTimeout: 200 });
      expect(await values.next()).toMatchObject({ value: 1 });
      await setTimeout(300);
      sent.write("2\n");
      expect(await values.next()).toMatchObject({ value: 2 });
      await expect(values.next()).rejects.toMatchObject({ name: "ThingError", code: "timeout" });
      await closed.promise;
    });

    test.each<[limit: number, seen: unknown[]]>([
      [6, ["éé", "ab", "éé"]],
      [5, [{ code: "response_too_large" }]],
    ])("of 6 bytes are limited to %s bytes, in one chunk and in several", async (maxResponseBytes, expected) => {
      await using service = await stream(
        "application/jsonl",
        {},
        (_request, response) => {
          response.writeHead(200, { "Content-Type": "application/jsonl" }).write('"éé"\n"ab"\n');
          for (const byte of Buffer.from('"éé"')) response.write(Buffer.of(byte));
          response.end();
        },
        { maxResponseBytes },
      );
      const seen: unknown[] = [];
      try {
        for await (const value of await service.watch()) seen.push(value);
      } catch (error) {
        seen.push(error);
      }
      expect(seen).toMatchObject(expected);
    });

    test("that are incomplete or too large are errors of the contract", async () => {
      for (const [text, code] of [
        ['{"a":1}\n{"b', "unreadable_answer"],
        [`{"a":1}\n"${"x".repeat(2_000)}`, "response_too_large"],
      ] as const) {
        await using service = await stream(
          "application/jsonl",
          {},
          (_request, response) => response.writeHead(200, { "Content-Type": "application/jsonl" }).end(text),
          { maxResponseBytes: 1_000 },
        );
        const values = await service.watch();
        expect(await values.next()).toMatchObject({ value: { a: 1 } });
        await expect(values.next()).rejects.toMatchObject({ name: "ThingError", code });
      }
    });
  });
});

const data = (schema: object) => ({
  type: "object",
  required: ["data"],
  properties: { data: { type: "string", contentMediaType: "application/json", contentSchema: schema } },
});
const operation = (operationId: string, type: string, media: object) => ({
  get: { operationId, responses: { 200: { description: "", content: { [type]: media } } } },
});

/** The notations of OpenAPI 3.2 for streams. */
const document = {
  openapi: "3.2.0",
  info: { title: "T", version: "1" },
  components: {
    schemas: {
      Cat: { type: "object", required: ["lives"], properties: { lives: { type: "integer" } } },
      Dog: { type: "object", required: ["tricks"], properties: { tricks: { type: "string" } } },
      Event: data(ref("Cat")),
    },
  },
  paths: {
    "/events": operation("watch", "text/event-stream", { itemSchema: ref("Event") }),
    "/kinds": operation("kinds", "text/event-stream", { itemSchema: { oneOf: [ref("Event"), data(ref("Dog"))] } }),
    "/texts": operation("texts", "text/event-stream", {
      itemSchema: { type: "object", properties: { data: { type: "string" } } },
    }),
    "/lines": operation("lines", "application/jsonl", { itemSchema: ref("Cat") }),
    "/list": operation("list", "application/jsonl", { schema: { type: "array", items: ref("Cat") } }),
    "/sequence": operation("sequence", "application/json-seq", { itemSchema: ref("Cat") }),
  },
};

const BODIES: Record<string, string> = {
  "/events": 'data: {"lives":9}\n\n',
  "/kinds": 'data: {"lives":9}\n\ndata: {"tricks":"sit"}\n\n',
  "/texts": "data: 9 lives\n\n",
  "/lines": '{"lives":9}\n',
  "/list": '{"lives":9}\n',
  "/sequence": '\u001e{"lives":9}\n',
};

const PROGRAM = `import { createThing, type Cat, type Dog } from "./index.ts";
type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
const is = <A, B>(_: Equal<A, B>): void => {};
const thing = createThing({ baseUrl: "" });
for await (const event of await thing.watch().orThrow()) is<typeof event.data, Cat>(true);
for await (const event of await thing.kinds().orThrow()) is<typeof event.data, Cat | Dog>(true);
for await (const event of await thing.texts().orThrow()) is<typeof event.data, string>(true);
for await (const line of await thing.lines().orThrow()) is<typeof line, Cat>(true);
for await (const line of await thing.list().orThrow()) is<typeof line, Cat>(true);
for await (const value of await thing.sequence().orThrow()) is<typeof value, Cat>(true);
`;

describe("the items of streams in OpenAPI 3.2", () => {
  let client: GeneratedClient;
  let server: TestServer;
  beforeAll(async () => {
    client = await generatedClient(document);
    server = await serve(({ url = "" }, response) => {
      const [[type]] = Object.values(document.paths).flatMap(({ get }, index) =>
        Object.keys(document.paths)[index] === url ? [Object.keys(get.responses[200].content)] : [],
      ) as [[string]];
      response.writeHead(200, { "Content-Type": type }).end(BODIES[url]);
    });
  });
  afterAll(async () => {
    client[Symbol.dispose]();
    await server[Symbol.asyncDispose]();
  });

  test.each([
    ["watch", [{ lives: 9 }]],
    ["kinds", [{ lives: 9 }, { tricks: "sit" }]],
    ["texts", ["9 lives"]],
  ])("are the data of events: %s", async (name, expected) => {
    const events = (await client.create({ baseUrl: server.baseUrl })[name]!().orThrow()) as AsyncIterable<{
      data: unknown;
    }>;
    expect((await Array.fromAsync(events)).map((event) => event.data)).toEqual(expected);
  });

  test.each(["lines", "list", "sequence"])("are the values of %s", async (name) => {
    const values = await client.create({ baseUrl: server.baseUrl })[name]!().orThrow();
    expect(await Array.fromAsync(values as AsyncIterable<unknown>)).toEqual([{ lives: 9 }]);
  });

  test("have their types", () => {
    writeFileSync(join(client.folder, "program.ts"), PROGRAM);
    const options = { extends: "../../../tsconfig.json", include: ["program.ts"] };
    writeFileSync(join(client.folder, "tsconfig.json"), JSON.stringify(options));
    const tsc = join(import.meta.dirname, "../../../node_modules/typescript/bin/tsc");
    expect(spawnSync(process.execPath, [tsc, "-p", client.folder], { encoding: "utf8" }).stdout).toBe("");
  });
});
