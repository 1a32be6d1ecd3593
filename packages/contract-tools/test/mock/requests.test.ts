import type { OpenApiDocument } from "openapi-document";
import { describe, expect, test } from "vitest";
import { parseFaults, parseLatency } from "../../src/mock/conditions.ts";
import { serve } from "./serve.ts";

describe("the text of a body", () => {
  const BOOK = {
    type: "object",
    xml: { namespace: "https://books.example", prefix: "b" },
    properties: {
      id: { type: "integer", xml: { attribute: true } },
      title: { allOf: [{ type: "string" }, { xml: { name: "name" } }] },
      authors: { type: "array", items: { type: "string", xml: { name: "author" } }, xml: { wrapped: true } },
      tags: { type: "array", items: { type: "string" } },
      "1st": { type: "boolean" },
      empty: { type: "object" },
    },
  };
  const VALUE = { id: 1, title: "A < B & C", authors: ["x", "y"], tags: ["p", "q"], "1st": true, empty: {} };
  const ELEMENT =
    '<b:Book xmlns:b="https://books.example" id="1"><name>A &#60; B &#38; C</name>' +
    "<authors><author>x</author><author>y</author></authors><tags>p</tags><tags>q</tags><_1st>true</_1st><empty/></b:Book>";

  test.each<[name: string, contentType: string, media: object, text: string]>([
    ["XML", "application/xml", { schema: { $ref: "#/components/schemas/Book" }, example: VALUE }, ELEMENT],
    ["an empty value as XML", "text/xml", { schema: { type: "object" } }, "<response/>"],
    [
      "a list as XML",
      "application/vnd.x+xml; charset=utf-8",
      { schema: { type: "array", items: { type: "integer" }, xml: { name: "numbers" } }, example: [1, 2] },
      "<numbers><numbers>1</numbers><numbers>2</numbers></numbers>",
    ],
    ["XML that is text", "application/xml", { schema: { type: "string" }, example: "<a/>" }, "<a/>"],
  ])("an example is sent as its media type: %s", async (_name, contentType, media, text) => {
    const body = await bodyOf(contentType, media);
    expect(body.replace('<?xml version="1.0" encoding="UTF-8"?>\n', "")).toBe(text);
    expect(body.startsWith("<?xml")).toBe(text !== "<a/>");
  });

  test.each<[contentType: string, example: unknown, text: string]>([
    ["text/plain", { a: 1 }, '{"a":1}\n'],
    ["text/csv", 7, "7\n"],
    ["application/x-ndjson", [{ a: 1 }, { a: 2 }], '{"a":1}\n{"a":2}\n'],
    ["text/event-stream", [{ a: 1 }], 'data: {"a":1}\n\n'],
  ])("an example that is no text is sent as JSON: %s", async (contentType, example, text) => {
    expect(await bodyOf(contentType, { schema: {}, example })).toBe(text);
  });

  test.each<[openapi: string, contentType: string, media: object, text: string]>([
    ["3.1.1", "text/event-stream", { schema: { type: "string" } }, 'data: "x"\n\n'],
    ["3.2.0", "text/event-stream", { itemSchema: { type: "string" } }, 'data: "x"\n\n'],
    ["3.1.1", "text/event-stream", { schema: { type: "string" }, example: "two\nlines" }, 'data: "two\\nlines"\n\n'],
    ["3.1.1", "text/event-stream", { schema: { type: "string" }, example: "id: 1\ndata: a\n\n" }, "id: 1\ndata: a\n\n"],
    ["3.1.1", "text/event-stream", { schema: { required: ["data"], properties: { data: {} } } }, "data: x\n\n"],
    ["3.1.1", "application/jsonl", { schema: { type: "string" } }, '"x"\n'],
    ["3.2.0", "application/jsonl", { schema: { type: "array", items: { type: "string" } } }, '"x"\n'],
  ])("OpenAPI %s: a stream %s of %j has items", async (openapi, contentType, media, text) => {
    expect(await bodyOf(contentType, media, openapi)).toBe(text);
  });

  async function bodyOf(contentType: string, media: object, openapi = "3.1.1"): Promise<string> {
    const document: OpenApiDocument = {
      openapi,
      paths: {
        "/it": {
          get: { operationId: "getIt", responses: { 200: { description: "", content: { [contentType]: media } } } },
        },
      },
      components: { schemas: { Book: BOOK } },
    };
    const { request } = await serve({ document });
    const response = await request("/it");
    const text = await response.text();
    expect(response.status, text).toBe(200);
    return text;
  }
});

describe("conditions", () => {
  const BOOKS = {
    openapi: "3.1.1",
    paths: {
      "/books": {
        get: {
          operationId: "listBooks",
          responses: {
            200: {
              description: "",
              content: {
                "application/json": { schema: { type: "array", items: { type: "string" } }, example: ["Emma"] },
              },
            },
            429: {
              description: "",
              content: {
                "application/json": { schema: { type: "object", properties: { error: { type: "string" } } } },
              },
            },
          },
        },
      },
    },
  };

  test("faults have the chosen share and status, in the document's own errors, and repeat with the same seed", async () => {
    const statuses = async (seed: number): Promise<number[]> => {
      const { request } = await serve({ document: BOOKS, conditions: { faults: { share: 0.5, status: 429 }, seed } });
      const responses = [];
      for (let sent = 0; sent < 20; sent++) responses.push(await request("/books"));
      const failed = responses.find(({ status }) => status === 429)!;
      expect(await failed.json()).toEqual({ error: "The mock was started with --faults." });
      return responses.map(({ status }) => status);
    };
    const first = await statuses(7);
    expect(new Set(first)).toEqual(new Set([200, 429]));
    expect(await statuses(7)).toEqual(first);
    expect(await statuses(8)).not.toEqual(first);
  });

  test("latency delays each response", async () => {
    const { request } = await serve({ document: BOOKS, conditions: { latency: { from: 40, to: 60 } } });
    const began = performance.now();
    await request("/books");
    expect(performance.now() - began).toBeGreaterThan(39);
  });

  test("latency and faults are read as written", () => {
    expect(parseLatency("200")).toEqual({ from: 200, to: 200 });
    expect(parseLatency("100-800")).toEqual({ from: 100, to: 800 });
    expect(parseFaults("10%")).toEqual({ share: 0.1, status: 503 });
    expect(parseFaults("100%:429")).toEqual({ share: 1, status: 429 });
  });

  test("pages of any origin may call, as before Prism", async () => {
    const { request } = await serve({ document: BOOKS });
    const preflight = await request("/books", {
      method: "OPTIONS",
      headers: {
        Origin: "https://shop.example",
        "Access-Control-Request-Method": "GET",
        "Access-Control-Request-Headers": "x-key",
      },
    });
    expect(preflight.status).toBe(204);
    expect(Object.fromEntries(preflight.headers)).toMatchObject({
      "access-control-allow-origin": "https://shop.example",
      "access-control-allow-headers": "x-key",
      "access-control-allow-credentials": "true",
      "access-control-allow-methods": "GET,DELETE,HEAD,PATCH,POST,PUT,OPTIONS",
    });
    const missing = await request("/nowhere", { headers: { Origin: "https://shop.example" } });
    expect([missing.status, missing.headers.get("access-control-allow-origin")]).toEqual([404, "https://shop.example"]);
    expect(await missing.json()).toEqual({ error: expect.stringContaining("no resource") });
  });
});
