import { describe, expect, test } from "vitest";
import { generatedClient } from "./generated-client.ts";
import { createFake } from "../src/testing/index.ts";
import { serveDocument } from "./shop.ts";
import { string } from "./schemas.ts";

const integer = { type: "integer" };
const strings = { type: "array", items: string };
const integers = { type: "array", items: integer };
const point = { type: "object", properties: { x: integer, name: string }, additionalProperties: false };
const nested = {
  type: "object",
  properties: { size: { type: "object", properties: { min: integer } }, tags: strings },
};
const text = "a,b c&d=e;f/g?h|i%j+k.l~é\u{1F98A}";
const x1 = { x: 1, name: "R,&=; é" };

interface Parameter {
  in: "path" | "query" | "header" | "cookie";
  [keyword: string]: unknown;
}

/** Parameters that both columns of the README's table name: the client writes what express-operations reads. */
const WRITTEN: [parameter: Parameter, value: unknown][] = [
  [{ in: "path", schema: integer }, 5],
  [{ in: "path", schema: string }, text],
  [{ in: "path", schema: strings }, ["a,b", "c/d", text]],
  [{ in: "path", schema: point }, x1],
  [{ in: "path", explode: true, schema: point }, x1],
  [{ in: "path", style: "label", schema: string }, "a.b"],
  [{ in: "path", style: "label", schema: integers }, [5, 6]],
  [{ in: "path", style: "label", explode: true, schema: integers }, [5, 6]],
  [
    { in: "path", style: "label", schema: point },
    { x: 1, name: "R" },
  ],
  [
    { in: "path", style: "label", explode: true, schema: point },
    { x: 1, name: "R" },
  ],
  [{ in: "path", style: "matrix", schema: integer }, 5],
  [{ in: "path", style: "matrix", schema: integers }, [5, 6]],
  [{ in: "path", style: "matrix", explode: true, schema: integers }, [5, 6]],
  [{ in: "path", style: "matrix", schema: point }, x1],
  [{ in: "path", style: "matrix", explode: true, schema: point }, x1],
  [{ in: "path", content: { "application/json": { schema: point } } }, x1],
  [{ in: "query", schema: string }, text],
  [{ in: "query", schema: { type: "boolean" } }, false],
  [{ in: "query", schema: integers }, [5, 6]],
  [{ in: "query", schema: integers }, [5]],
  [{ in: "query", schema: strings }, [text, "b"]],
  [{ in: "query", explode: false, schema: strings }, ["a,b", "c d"]],
  [{ in: "query", explode: false, schema: point }, x1],
  [{ in: "query", schema: point }, x1],
  [{ in: "query", schema: { type: "object", additionalProperties: true } }, { any: "a" }],
  [{ in: "query", style: "spaceDelimited", schema: strings, explode: false }, ["a", "b"]],
  [{ in: "query", style: "pipeDelimited", schema: integers, explode: false }, [1, 2, 3]],
  [{ in: "query", style: "deepObject", schema: point }, x1],
  [
    { in: "query", style: "deepObject", schema: nested },
    { size: { min: 1 }, tags: ["a", "b"] },
  ],
  [
    { in: "query", content: { "application/json": { schema: nested } } },
    { size: { min: 1 }, tags: ["a&b"] },
  ],
  [{ in: "query", allowReserved: true, schema: string }, "a:/?@!$'()*,;=b&c#d%e"],
  [{ in: "query", name: "a b[]", schema: strings }, ["x", "y"]],
  [{ in: "header", schema: string }, "a b"],
  [{ in: "header", schema: integers }, [5, 6]],
  [
    { in: "header", schema: point },
    { x: 1, name: "R" },
  ],
  [
    { in: "header", explode: true, schema: point },
    { x: 1, name: "R" },
  ],
  [{ in: "header", content: { "application/json": { schema: nested } } }, { tags: ["a"] }],
  [{ in: "cookie", schema: integer }, 5],
  [{ in: "cookie", explode: false, schema: integers }, [5, 6]],
  [{ in: "cookie", schema: string }, "a b;c"],
];

type ByPath = (path: string, init: object) => Promise<{ data?: unknown }>;

describe("express-operations and the fake read the value that the client writes:", () => {
  test.each(WRITTEN)("%j %j", async (declared, value) => {
    const parameter = { name: "p", required: declared.in === "path", ...declared };
    const path = parameter.in === "path" ? "/x/{p}" : "/x";
    const responses = { 200: { description: "", content: { "application/json": { schema: {} } } } };
    const document = {
      openapi: "3.1.1",
      info: { title: "T", version: "1" },
      paths: { [path]: { get: { operationId: "read", parameters: [parameter], responses } } },
    };
    using client = await generatedClient(document);
    await using server = await serveDocument(document, { read: (input) => ({ status: 200, body: input }) });
    const thing = client.create({ baseUrl: server.baseUrl });
    const place = { path: "path", query: "query", header: "headers", cookie: "cookies" }[declared.in];
    const byName = await thing["read"]!({ [parameter.name]: value }).orThrow();
    expect((byName as Record<string, object>)[place]).toEqual({ [parameter.name]: value });
    const params = { [declared.in]: { [parameter.name]: value } };
    const byPath = await (thing["GET"] as never as ByPath)(path, { params });
    expect(byPath.data).toEqual(byName);
    const fake = createFake(document, client.operations);
    fake.mock("read" as never, { status: 200, body: 1 } as never);
    await client.create({ baseUrl: "http://x.test", fetch: fake.fetch })["read"]!({ [parameter.name]: value });
    fake.verify();
    const [recorded] = fake.requests as unknown as Record<string, object>[];
    // The fake records headers and cookies as they were sent.
    const isParsed = place === "path" || place === "query";
    expect(isParsed ? recorded![place] : { [parameter.name]: value }).toEqual({ [parameter.name]: value });
  });

  test("of parameters with one name in all locations", async () => {
    const parameters = ["path", "query", "header", "cookie"].map((location) => ({
      name: "id",
      in: location,
      required: true,
      schema: string,
    }));
    const json = { "application/json": { schema: {} } };
    const operation = {
      operationId: "write",
      parameters,
      requestBody: { content: json },
      responses: { 200: { description: "", content: json } },
    };
    const document = { openapi: "3.1.1", info: { title: "T", version: "1" }, paths: { "/x/{id}": { put: operation } } };
    using client = await generatedClient(document);
    await using server = await serveDocument(document, { write: (input) => ({ status: 200, body: input }) });
    const input = { "path.id": "p", "query.id": "q", "header.id": "h", "cookie.id": "c", body: { id: "b" } };
    expect(await client.create({ baseUrl: server.baseUrl })["write"]!(input).orThrow()).toMatchObject({
      path: { id: "p" },
      query: { id: "q" },
      headers: { id: "h" },
      cookies: { id: "c" },
      body: { id: "b" },
    });
  });
});
