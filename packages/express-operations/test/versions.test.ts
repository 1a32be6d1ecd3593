import { readFile } from "node:fs/promises";
import { Agent, request as httpRequest } from "node:http";
import { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { runConformance } from "../src/conformance/conformance.ts";
import { operationsOf } from "openapi-document";
import { event, implement, type OpenApiDocument } from "../src/index.ts";
import { implementWebhooks } from "../src/webhooks/implement-webhooks.ts";
import { callbackSenders, webhookSenders } from "../src/webhooks/senders.ts";
import { listen } from "./listen.ts";

/**
 * Serves a small document for each feature in each version of OpenAPI, and writes the results as the table of
 * docs/versions.md. `pnpm --filter express-operations versions` writes the page.
 */
const VERSIONS = ["3.0.4", "3.1.2", "3.2.0"] as const;
type Version = (typeof VERSIONS)[number];

interface Feature {
  name: string;
  /** The first version that has the feature. */
  since?: string;
  /** The rest of the document. */
  document: (version: Version) => object;
  /** The handler of every operation. Default: it returns its input as JSON. */
  handler?: ((input: never) => unknown) | { handler: (input: never) => unknown; streamsBody: true };
  /** Sends requests. Throws unless they are served as the document says. A refused feature has none. */
  use?: (server: { baseUrl: string; document: OpenApiDocument }) => Promise<void>;
}

const is30 = (version: Version) => version.startsWith("3.0.");
const ok = { 200: { description: "", content: { "application/json": {} } } };
const json = (schema: object) => ({ required: true, content: { "application/json": { schema } } });
const post = (schema: object, more = {}) => ({
  paths: { "/x": { post: { requestBody: json(schema), responses: ok } } },
  ...more,
});
const get = (parameters: object[], more = {}) => ({ paths: { "/x": { get: { parameters, responses: ok } } }, ...more });
const withSchemas = (schemas: object, more = {}) => ({ components: { schemas, ...more } });
const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });
const fields = (properties: object, required: string[] = []) => ({ type: "object", properties, required });

/** The method, the path with the query, a body, and headers. */
interface Sent {
  method?: string;
  path?: string;
  body?: unknown;
  headers?: Record<string, string>;
}

const agent = new Agent();

/** Sends a request of any method. Returns the status and the input of the handler. */
async function send(baseUrl: string, { method = "GET", path = "/x", body, headers = {} }: Sent) {
  const payload = JSON.stringify(body) as string | undefined;
  const type = payload === undefined ? {} : { "Content-Type": "application/json", "Content-Length": payload.length };
  return new Promise<[status: number, input: unknown]>((done, failed) => {
    const request = httpRequest(baseUrl + path, { method, agent, headers: { ...type, ...headers } }, (response) => {
      void text(response).then((received) => done([response.statusCode!, JSON.parse(received || "null")]), failed);
    });
    request.on("error", failed).end(payload);
  });
}

const accepted = async (baseUrl: string, sent: Sent, input: object) =>
  expect(await send(baseUrl, sent)).toMatchObject([200, input]);
const rejected = async (baseUrl: string, sent: Sent, message = "") =>
  expect(await send(baseUrl, sent)).toMatchObject([400, { message: expect.stringContaining(message) as string }]);
const bodies =
  (valid: unknown[], invalid: unknown[]): NonNullable<Feature["use"]> =>
  async ({ baseUrl }) => {
    for (const body of valid) await accepted(baseUrl, { method: "POST", body }, { body: body as object });
    for (const body of invalid) await rejected(baseUrl, { method: "POST", body });
  };

const TOKEN = fields({ token: { type: "string" } }, ["token"]);
const stream = (mediaType: string, media: object) => ({
  paths: { "/x": { get: { responses: { 200: { description: "", content: { [mediaType]: media } } } } } },
});
const streams =
  (sent: string): NonNullable<Feature["use"]> =>
  async ({ baseUrl }) =>
    expect(await (await fetch(`${baseUrl}/x`)).text()).toBe(sent);

const CAT_OR_DOG = {
  Cat: fields({ kind: { type: "string" }, lives: { type: "integer" } }),
  Dog: fields({ kind: { type: "string" }, barks: { type: "boolean" } }),
};
const choice = (more = {}) => ({
  oneOf: [ref("Cat"), ref("Dog")],
  discriminator: { propertyName: "kind", mapping: { cat: "Cat", dog: "Dog" }, ...more },
  example: { kind: "cat", lives: 1 },
});
const SECRET = `whsec_${Buffer.alloc(24, 1).toString("base64")}`;

const FEATURES: Feature[] = [
  {
    name: "parameters in path, query, header and cookie",
    document: () => ({
      paths: {
        "/{id}": {
          get: {
            parameters: [
              { name: "id", in: "path", required: true, schema: { type: "integer" } },
              { name: "tags", in: "query", schema: { type: "array", items: { type: "string" } } },
              { name: "X-A", in: "header", schema: { type: "boolean" } },
              { name: "b", in: "cookie", schema: { type: "string" } },
            ],
            responses: ok,
          },
        },
      },
    }),
    use: async ({ baseUrl }) => {
      const sent = { path: "/7?tags=a&tags=b", headers: { "X-A": "true", Cookie: "b=%20" } };
      await accepted(baseUrl, sent, {
        path: { id: 7 },
        query: { tags: ["a", "b"] },
        headers: { "X-A": true },
        cookies: { b: " " },
      });
      await rejected(baseUrl, { path: "/x" });
    },
  },
  {
    name: "null: `nullable` in 3.0, the type `null` later",
    document: (version) => post(is30(version) ? { type: "string", nullable: true } : { type: ["string", "null"] }),
    use: bodies(["a", null], [1]),
  },
  {
    name: "`exclusiveMinimum`: a boolean in 3.0, a number later",
    document: (version) =>
      post({ type: "number", ...(is30(version) ? { minimum: 1, exclusiveMinimum: true } : { exclusiveMinimum: 1 }) }),
    use: bodies([2], [1]),
  },
  {
    name: "keywords beside `$ref`: ignored in 3.0, applied later",
    document: () => post({ ...ref("Name"), maxLength: 2 }, withSchemas({ Name: { type: "string" } })),
    use: async ({ baseUrl, document }) => {
      const [status] = await send(baseUrl, { method: "POST", body: "abc" });
      expect(status).toBe(document.openapi.startsWith("3.0.") ? 200 : 400);
    },
  },
  {
    name: "JSON Schema 2020-12: `const`, `prefixItems`, `if`, `dependentRequired`",
    since: "3.1",
    document: () =>
      post({
        prefixItems: [{ const: 1 }, { type: "object", dependentRequired: { a: ["b"] } }],
        if: { minItems: 2 },
        // oxlint-disable-next-line unicorn/no-thenable -- a keyword
        then: { maxItems: 2 },
      }),
    use: bodies([[1], [1, { a: 1, b: 1 }]], [[2], [1, { a: 1 }], [1, {}, 1]]),
  },
  {
    name: "files: `format: binary` in 3.0, `contentMediaType` later",
    document: (version) => {
      const file = is30(version) ? { type: "string", format: "binary" } : { contentMediaType: "image/png" };
      const content = { "multipart/form-data": { schema: fields({ a: { type: "integer" }, file }, ["file"]) } };
      return { paths: { "/x": { post: { requestBody: { required: true, content }, responses: ok } } } };
    },
    use: async ({ baseUrl }) => {
      const form = new FormData();
      form.set("a", "1");
      form.set("file", new File(["x"], "x.png"));
      const response = await fetch(`${baseUrl}/x`, { method: "POST", body: form });
      expect(await response.json()).toMatchObject({ body: { a: 1 }, files: [{ field: "file", name: "x.png" }] });
    },
  },
  {
    name: "`discriminator`",
    document: () => post(choice(), withSchemas(CAT_OR_DOG)),
    use: bodies([{ kind: "cat", lives: 9 }], [{ kind: "cat", lives: "x" }, { kind: "bird" }, {}]),
  },
  {
    name: "`discriminator.defaultMapping`",
    since: "3.2",
    document: () => post(choice({ defaultMapping: "Dog" }), withSchemas(CAT_OR_DOG)),
    use: bodies(
      [{ kind: "cat", lives: 9 }, { kind: "dog", barks: true }, { kind: "wolf", barks: true }, { barks: true }],
      [{ kind: "cat", lives: "x" }, { barks: 1 }, { kind: "wolf", barks: 1 }],
    ),
  },
  {
    name: "security: bearer tokens and scopes",
    document: () => ({
      ...get([]),
      security: [{ oauth: ["read"] }],
      components: {
        securitySchemes: {
          oauth: {
            type: "oauth2",
            flows: { implicit: { authorizationUrl: "https://a.example", scopes: { read: "" } } },
          },
        },
      },
    }),
    use: async ({ baseUrl }) => {
      await accepted(baseUrl, { headers: { Authorization: "Bearer read" } }, {});
      expect(await send(baseUrl, { headers: { Authorization: "Bearer write" } })).toMatchObject([403, {}]);
      expect(await send(baseUrl, {})).toMatchObject([401, {}]);
    },
  },
  {
    name: "security: `deviceAuthorization`, `oauth2MetadataUrl`, `deprecated`",
    since: "3.2",
    document: () => ({
      ...get([]),
      security: [{ oauth: ["read"] }],
      components: {
        securitySchemes: {
          oauth: {
            type: "oauth2",
            deprecated: true,
            oauth2MetadataUrl: "https://a.example",
            flows: {
              deviceAuthorization: {
                deviceAuthorizationUrl: "https://a.example",
                tokenUrl: "https://a.example",
                scopes: {},
              },
            },
          },
        },
      },
    }),
    use: async ({ baseUrl }) => {
      await accepted(baseUrl, { headers: { Authorization: "Bearer read" } }, {});
      expect(await send(baseUrl, { headers: { Authorization: "Bearer write" } })).toMatchObject([403, {}]);
    },
  },
  {
    name: "callbacks: sent",
    document: () => {
      const hook = { "{$request.body#/url}": { post: { requestBody: json({ type: "integer" }), responses: ok } } };
      return { paths: { "/x": { post: { requestBody: json({}), responses: ok, callbacks: { hook } } } } };
    },
    use: async ({ baseUrl, document }) => {
      const senders = callbackSenders<{ "callback POST /x#hook": { post: object } }>()({ document, secret: SECRET });
      const url = `${baseUrl}/x`;
      expect(await senders["POST /x"].hook.send({ request: { body: { url } } }, 1 as never)).toMatchObject({
        ok: true,
      });
      await expect(senders["POST /x"].hook.send(url, "1" as never)).rejects.toThrow("must be an integer");
    },
  },
  {
    name: "`webhooks`: sent and received",
    since: "3.1",
    document: () => ({
      paths: {},
      webhooks: { hook: { post: { requestBody: json({ type: "integer" }), responses: ok } } },
    }),
    use: async ({ document }) => {
      const handlers = { hook: ({ body }: { body: unknown }) => ({ status: 200, body }) };
      await using receiver = await listen(
        implementWebhooks()({ document, secret: SECRET, handlers: handlers as never }),
      );
      const senders = webhookSenders<{ hook: { post: object } }>()({ document, secret: SECRET });
      const delivery = await senders.hook.send(`${receiver.baseUrl}/hook`, 1 as never);
      expect(delivery).toMatchObject({ ok: true, response: { body: 1 } });
    },
  },
  {
    name: "`components.pathItems`",
    since: "3.1",
    document: () => ({
      paths: { "/x": { $ref: "#/components/pathItems/X" } },
      components: { pathItems: { X: { get: { responses: ok } } } },
    }),
    use: async ({ baseUrl }) => accepted(baseUrl, {}, { operationId: "GET /x" }),
  },
  {
    name: "the method QUERY (`query`)",
    since: "3.2",
    document: () => ({ paths: { "/x": { query: { requestBody: json({ type: "integer" }), responses: ok } } } }),
    use: async ({ baseUrl }) => {
      await accepted(
        baseUrl,
        { method: "QUERY", body: 1, headers: { "If-None-Match": "*" } },
        { operationId: "QUERY /x", body: 1 },
      );
      await rejected(baseUrl, { method: "QUERY", body: "x" });
      expect(await send(baseUrl, {})).toMatchObject([405, {}]);
    },
  },
  {
    name: "`additionalOperations`",
    since: "3.2",
    document: () => ({ paths: { "/x": { additionalOperations: { COPY: { operationId: "copy", responses: ok } } } } }),
    use: async ({ baseUrl }) => accepted(baseUrl, { method: "COPY" }, { operationId: "copy" }),
  },
  {
    name: "`additionalOperations` of a method that Node's HTTP parser does not know",
    since: "3.2",
    document: () => ({ paths: { "/x": { additionalOperations: { BREW: { operationId: "brew", responses: ok } } } } }),
  },
  {
    name: "`in: querystring`, a form",
    since: "3.2",
    document: () => {
      const schema = {
        ...fields({ foo: { type: "string" }, bar: { type: "boolean" } }, ["foo"]),
        additionalProperties: false,
      };
      return get([
        {
          name: "all",
          in: "querystring",
          required: true,
          content: { "application/x-www-form-urlencoded": { schema } },
        },
      ]);
    },
    use: async ({ baseUrl }) => {
      await accepted(baseUrl, { path: "/x?foo=a+%2B+b&bar=true" }, { query: { all: { foo: "a + b", bar: true } } });
      await rejected(
        baseUrl,
        { path: "/x?foo=a&bar=1" },
        'Field "bar" of query parameter "all" must be true or false.',
      );
      await rejected(baseUrl, { path: "/x?foo=a&other=1" }, 'Field "other" of query parameter "all"');
      await rejected(baseUrl, { path: "/x?foo=%E4" }, "not valid percent-encoding");
      await rejected(baseUrl, {}, 'Query parameter "all" is required.');
    },
  },
  {
    name: "`in: querystring`, JSON",
    since: "3.2",
    document: () => {
      const schema = fields({
        numbers: { type: "array", items: { type: "integer" } },
        flag: { type: ["boolean", "null"] },
      });
      return get([{ name: "json", in: "querystring", content: { "application/json": { schema } } }]);
    },
    use: async ({ baseUrl }) => {
      // cspell:ignore Anull
      const encoded = "%7B%22numbers%22%3A%5B1%2C2%5D%2C%22flag%22%3Anull%7D";
      await accepted(baseUrl, { path: `/x?${encoded}` }, { query: { json: { numbers: [1, 2], flag: null } } });
      await accepted(baseUrl, {}, { query: {} });
      await rejected(baseUrl, { path: "/x?%7B%22flag%22%3A1%7D" }, 'Field "flag" of query parameter "json"');
      await rejected(baseUrl, { path: "/x?%7B" }, 'Query parameter "json"');
    },
  },
  {
    name: "`in: querystring`, another media type",
    since: "3.2",
    document: () =>
      get([
        { name: "selector", in: "querystring", content: { "application/jsonpath": { schema: { type: "string" } } } },
      ]),
    use: async ({ baseUrl }) =>
      accepted(baseUrl, { path: "/x?%24.a.b%5B1%3A1%5D" }, { query: { selector: "$.a.b[1:1]" } }),
  },
  {
    name: "`in: querystring` beside `in: query`",
    since: "3.2",
    document: () =>
      get([
        { name: "all", in: "querystring", content: { "application/json": {} } },
        { name: "q", in: "query", schema: {} },
      ]),
  },
  {
    name: "`style: cookie`",
    since: "3.2",
    document: () =>
      get([
        { name: "a", in: "cookie", style: "cookie", schema: { type: "string" } },
        {
          name: "list",
          in: "cookie",
          style: "cookie",
          explode: false,
          schema: { type: "array", items: { type: "integer" } },
        },
      ]),
    use: async ({ baseUrl }) => {
      await accepted(baseUrl, { headers: { Cookie: "a=%20; list=1,2" } }, { cookies: { a: "%20", list: [1, 2] } });
      await rejected(baseUrl, { headers: { Cookie: "list=a" } });
    },
  },
  {
    name: "`style: cookie`, an exploded list or object",
    since: "3.2",
    document: () => get([{ name: "list", in: "cookie", style: "cookie", schema: { type: "array" } }]),
  },
  {
    name: "`allowReserved` in every location",
    since: "3.2",
    document: () => ({
      paths: {
        "/{a}": {
          get: {
            parameters: ["path", "query"].map((where) => ({
              name: where.slice(0, 1) === "p" ? "a" : "b",
              in: where,
              required: true,
              allowReserved: true,
              schema: { type: "string" },
            })),
            responses: ok,
          },
        },
      },
    }),
    use: async ({ baseUrl }) =>
      accepted(baseUrl, { path: "/a:@!$?b=c:/?" }, { path: { a: "a:@!$" }, query: { b: "c:/?" } }),
  },
  {
    name: "`components.mediaTypes`",
    since: "3.2",
    document: () => ({
      paths: {
        "/x": {
          post: {
            requestBody: { required: true, content: { "application/json": { $ref: "#/components/mediaTypes/Alias" } } },
            responses: ok,
          },
        },
      },
      components: {
        mediaTypes: { Alias: { $ref: "#/components/mediaTypes/Number" }, Number: { schema: { type: "integer" } } },
      },
    }),
    use: bodies([1], ["x"]),
  },
  {
    name: "references by `$self`",
    since: "3.2",
    document: () => ({
      $self: "https://a.example/openapi",
      ...post({ $ref: "https://a.example/openapi#/components/schemas/N" }, withSchemas({ N: { type: "integer" } })),
    }),
    use: bodies([1], ["x"]),
  },
  {
    name: "`parent` and `kind` of tags, `name` of servers, `summary` of responses, `xml.nodeType`",
    since: "3.2",
    document: () => ({
      tags: [{ name: "a" }, { name: "b", parent: "a", kind: "nav" }],
      servers: [{ url: "https://a.example", name: "production" }],
      paths: {
        "/x": {
          post: {
            tags: ["b"],
            requestBody: json({ type: "integer", xml: { nodeType: "attribute" } }),
            responses: { 200: { summary: "", content: { "application/json": {} } } },
          },
        },
      },
    }),
    use: bodies([1], ["x"]),
  },
  {
    name: "`itemSchema` of a request body",
    since: "3.2",
    document: () => ({
      paths: {
        "/x": {
          post: {
            requestBody: { content: { "application/jsonl": { itemSchema: { type: "integer" } } } },
            responses: ok,
          },
        },
      },
    }),
  },
  {
    name: "`itemSchema` of a request body, which a handler with `streamsBody` reads",
    since: "3.2",
    document: () => ({
      paths: {
        "/x": {
          post: {
            requestBody: { content: { "application/jsonl": { itemSchema: { type: "integer" } } } },
            responses: ok,
          },
        },
      },
    }),
    handler: {
      streamsBody: true,
      handler: async ({ body }: { body: Readable }) => ({ status: 200, body: { text: await text(body) } }),
    },
    use: async ({ baseUrl }) =>
      accepted(baseUrl, { method: "POST", body: 1, headers: { "Content-Type": "application/jsonl" } }, { text: "1" }),
  },
  {
    name: "`text/event-stream` in a response: `schema` describes the data of an event",
    document: () => stream("text/event-stream", { schema: TOKEN }),
    handler: () => ({ status: 200, body: Readable.from([{ token: "a" }, event({ id: "7", data: { token: "b" } })]) }),
    use: streams('data: {"token":"a"}\n\nid: 7\ndata: {"token":"b"}\n\n'),
  },
  {
    name: "`text/event-stream` in a response: `itemSchema` describes the event, and `contentSchema` its data",
    since: "3.2",
    document: () =>
      stream("text/event-stream", {
        itemSchema: fields(
          {
            id: { type: "string" },
            data: { type: "string", contentMediaType: "application/json", contentSchema: TOKEN },
          },
          ["data"],
        ),
      }),
    handler: () => ({ status: 200, body: Readable.from([{ id: "7", data: { token: "a" } }]) }),
    use: streams('id: 7\ndata: {"token":"a"}\n\n'),
  },
  {
    name: "JSON lines in a response: `schema` describes a line",
    document: () => stream("application/x-ndjson", { schema: TOKEN }),
    handler: () => ({ status: 200, body: Readable.from([{ token: "a" }, { token: "b" }]) }),
    use: streams('{"token":"a"}\n{"token":"b"}\n'),
  },
  {
    name: "JSON lines in a response: `schema` describes the list of lines, and `itemSchema` a line",
    since: "3.2",
    document: () => stream("application/jsonl", { schema: { type: "array", maxItems: 9 }, itemSchema: TOKEN }),
    handler: () => ({ status: 200, body: Readable.from([{ token: "a" }, { token: "b" }]) }),
    use: streams('{"token":"a"}\n{"token":"b"}\n'),
  },
  {
    name: "`prefixEncoding`, `itemEncoding` of a request body",
    since: "3.2",
    document: () => ({
      paths: {
        "/x": {
          post: {
            requestBody: { content: { "multipart/mixed": { schema: { type: "array" }, itemEncoding: {} } } },
            responses: ok,
          },
        },
      },
    }),
  },
  {
    name: "an `encoding` in an `encoding` of a request body",
    since: "3.2",
    document: () => ({
      paths: {
        "/x": {
          post: {
            requestBody: {
              content: { "multipart/form-data": { schema: { type: "object" }, encoding: { a: { encoding: {} } } } },
            },
            responses: ok,
          },
        },
      },
    }),
  },
];

function echo(input: object) {
  return { status: 200, body: { ...input, context: undefined } };
}

function onViolation(violation: object): void {
  throw new Error("The response breaks the document.", { cause: violation });
}

/** Returns whether the feature works, or the sentence that refuses the document. */
async function result(
  { since = "3.0", document: more, handler = echo, use }: Feature,
  version: Version,
): Promise<string> {
  if (version < since) return `not in ${version.slice(0, 3)}`;
  const document = { openapi: version, info: { title: "", version: "1" }, ...more(version) } as OpenApiDocument;
  const handlers = Object.fromEntries(operationsOf(document).map(({ id }) => [id, handler]));
  const oauth = (token: string) => (/^(?:read|write)$/.test(token) ? { caller: token, scopes: [token] } : undefined);
  let served: ReturnType<ReturnType<typeof implement>>;
  try {
    served = implement()({
      document,
      handlers: handlers as never,
      security: { oauth },
      checkResponses: "always",
      onViolation,
    });
  } catch (error) {
    return `refused: ${(error as Error).message.split("\n- ").at(-1)}`;
  }
  await using server = await listen(served);
  if (use === undefined) throw new Error("The document is served, and no request shows that the feature works.");
  await use({ baseUrl: server.baseUrl, document });
  const credentials = () => ({ headers: { Authorization: "Bearer read" } });
  const { failures, unchecked, passed } = await runConformance(document, { baseUrl: server.baseUrl, credentials });
  const isChecked = passed > 0 || operationsOf(document).length === 0;
  expect({ failures, unchecked, isChecked }).toEqual({ failures: {}, unchecked: {}, isChecked: true });
  return "works";
}

const results = new Map<string, string>();
const page = fileURLToPath(new URL("../docs/versions.md", import.meta.url));

describe.each(FEATURES)("$name", (feature) => {
  test.each(VERSIONS)("in %s", async (version) => {
    const printed = await result(feature, version);
    expect(printed).toMatch(/^(?:works|not in 3\.\d|refused: Operation ".+" has .+\.)$/);
    results.set(`${feature.name} ${version}`, printed);
  });
});

test("docs/versions.md has these results", async () => {
  const cell = (feature: Feature, version: Version) =>
    results.get(`${feature.name} ${version}`)!.replaceAll("|", "\\|");
  const rows = FEATURES.map((feature) => [feature.name, ...VERSIONS.map((version) => cell(feature, version))]);
  const head = ["feature", ...VERSIONS.map((version) => version.slice(0, 3))];
  const table = [head, head.map(() => "---"), ...rows].map((cells) => `| ${cells.join(" | ")} |`).join("\n");
  const written = await readFile(page, "utf8");
  const [before, , after] = written.split(/(?<=<!-- table -->\n)|(?=<!-- end -->)/);
  const expected = `${before}${table}\n${after}`;
  await expect(expected).toMatchFileSnapshot(page, "`pnpm --filter express-operations versions` writes the page.");
});
