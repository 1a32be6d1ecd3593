import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type GeneratedClient, generatedClient } from "./generated-client.ts";
import { serve, type TestServer } from "./shop.ts";

const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });
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
