import { describe, expect, test } from "vitest";
import { implement, type OpenApiDocument, type UploadedFile } from "../src/index.ts";
import { listen } from "./listen.ts";

const ok = { 200: { description: "", content: { "application/json": { schema: {} } } } };

/** Serves a document whose operations answer with their input, credentials of the scheme `any` being whatever is sent. */
async function serve(paths: object, more: Partial<OpenApiDocument> & object = {}) {
  const document = { openapi: "3.1.0", info: { title: "t", version: "1" }, ...more, paths } as OpenApiDocument;
  const ids = Object.values(paths).flatMap((item: object) =>
    Object.values(item).map((operation) => (operation as { operationId?: string }).operationId ?? []),
  );
  const echo = ({ files = [], ...input }: { files?: UploadedFile[] }) => ({
    status: 200,
    body: { ...input, files: files.map(({ bytes, ...file }) => ({ ...file, text: Buffer.from(bytes).toString() })) },
  });
  const handlers = Object.fromEntries(ids.flat().map((id) => [id, echo]));
  const security = { any: (credential: string) => ({ caller: credential }), none: () => undefined };
  return listen(implement()({ document, handlers: handlers as never, security }));
}

describe("what a document may hold besides", () => {
  test("callbacks, webhooks and servers of a path do not confuse it", async () => {
    const hook = { post: { operationId: "hook", responses: ok } };
    await using server = await serve(
      {
        "/orders": {
          servers: [{ url: "https://other.example/deep/base" }],
          post: {
            operationId: "order",
            servers: [{ url: "/elsewhere" }],
            callbacks: { done: { "{$request.query.url}": hook } },
            responses: ok,
          },
        },
      },
      {
        servers: [{ url: "https://api.example/{v}", variables: { v: { default: "v1" } } }],
        webhooks: { hook },
      } as object,
    );
    expect((await fetch(`${server.baseUrl}/orders`, { method: "POST" })).status).toBe(200);
    expect((await fetch(`${server.baseUrl}/hook`, { method: "POST" })).status).toBe(404);
  });

  test("templates that a path pattern would misread", async () => {
    const path = (name: string) => ({ in: "path", name, required: true, schema: { type: "string" } });
    await using server = await serve({
      "/files/{file-name}.{ext}": {
        get: { operationId: "file", parameters: [path("file-name"), path("ext")], responses: ok },
      },
      "/a(b)+c*/{x:y}": { get: { operationId: "odd", parameters: [path("x:y")], responses: ok } },
    });
    const get = async (url: string) => ((await (await fetch(server.baseUrl + url)).json()) as { path: unknown }).path;
    expect(await get("/files/a%2Fb.txt")).toEqual({ "file-name": "a/b", ext: "txt" });
    expect(await get("/a(b)+c*/1")).toEqual({ "x:y": "1" });
  });

  test("references into the middle of the document, and schemas that refer to themselves", async () => {
    const node = {
      type: "object",
      properties: { next: { $ref: "#/components/schemas/Node" }, example: { $ref: "#/components/schemas/Name" } },
    };
    const body = { required: true, content: { "application/json": { schema: { $ref: "#/components/schemas/Node" } } } };
    await using server = await serve(
      {
        "/nodes": { post: { operationId: "one", requestBody: body, responses: ok } },
        "/copies": {
          post: { operationId: "two", requestBody: { $ref: "#/paths/~1nodes/post/requestBody" }, responses: ok },
        },
      },
      { components: { schemas: { Node: node, Name: { type: "string", maxLength: 3 } } } },
    );
    const post = async (path: string, value: object) =>
      (
        await fetch(server.baseUrl + path, {
          method: "POST",
          headers: { "Content-Type": "application/json" },
          body: JSON.stringify(value),
        })
      ).status;
    for (const path of ["/nodes", "/copies"]) {
      expect(await post(path, { next: { next: { example: "abc" } } })).toBe(200);
      expect(await post(path, { next: { next: { example: "abcd" } } })).toBe(400);
    }
  });

  test("a reference that leads nowhere or out of the document is named", async () => {
    const broken = (ref: string) =>
      serve({ "/x": { get: { operationId: "x", parameters: [{ $ref: ref }], responses: ok } } });
    await expect(broken("#/components/parameters/None")).rejects.toThrow(
      "The reference #/components/parameters/None points at nothing.",
    );
    await expect(broken("./other.yaml#/x")).rejects.toThrow("Bundle it first");
  });
});

describe("multipart", () => {
  const form = {
    type: "object",
    required: ["title", "file"],
    properties: { title: { type: "string", maxLength: 5 }, file: { type: "string", format: "binary" } },
  };
  const upload = {
    operationId: "upload",
    requestBody: { required: true, content: { "multipart/form-data": { schema: form } } },
    responses: ok,
  };
  const formOf = (fields: Record<string, string | File>) => {
    const data = new FormData();
    for (const [name, value] of Object.entries(fields)) data.set(name, value);
    return data;
  };

  test("fields are validated, and files stand beside the body", async () => {
    await using server = await serve({ "/upload": { post: upload } });
    const send = (body: FormData | string, headers = {}) =>
      fetch(`${server.baseUrl}/upload`, { method: "POST", body, headers });
    const file = new File(["hello"], "a.txt", { type: "text/plain" });
    const response = await send(formOf({ title: "Hi", file }));
    expect(response.status).toBe(200);
    expect(await response.json()).toMatchObject({
      contentType: "multipart/form-data",
      body: { title: "Hi", file: "" },
      files: [{ field: "file", name: "a.txt", contentType: "text/plain", text: "hello" }],
    });
    expect((await send(formOf({ title: "too long", file }))).status).toBe(400);
    expect((await send(formOf({ title: "Hi" }))).status).toBe(400);
    expect((await send(formOf({ title: "Hi", file: new File(["x".repeat(70_000)], "big") }))).status).toBe(413);
    expect((await send("nonsense", { "Content-Type": "multipart/form-data; boundary=x" })).status).toBe(400);
    expect((await send("nonsense", { "Content-Type": "multipart/form-data" })).status).toBe(400);
    expect((await send("{}", { "Content-Type": "application/json" })).status).toBe(415);
  });
});

describe("security", () => {
  const schemes = {
    any: { type: "apiKey", in: "header", name: "X-Key" },
    none: { type: "http", scheme: "basic" },
  };
  const secured = (security: object[]) =>
    serve(
      { "/x": { get: { operationId: "x", security, responses: ok } } },
      { components: { securitySchemes: schemes } },
    );
  const statusOf = async (security: object[], headers: Record<string, string> = {}) => {
    await using server = await secured(security);
    return (await fetch(`${server.baseUrl}/x`, { headers })).status;
  };

  test("one requirement is enough, all of its schemes are needed, and an empty one lets anybody in", async () => {
    const key = { "X-Key": "k" };
    expect(await statusOf([{ none: [] }, { any: [] }], key)).toBe(200);
    expect(await statusOf([{ none: [], any: [] }], key)).toBe(401);
    expect(await statusOf([{ none: [] }, {}])).toBe(200);
    expect(await statusOf([])).toBe(200);
    expect(await statusOf([{ any: [] }])).toBe(401);
  });

  test("the challenge is the scheme's own", async () => {
    await using server = await secured([{ none: [] }]);
    const response = await fetch(`${server.baseUrl}/x`, { headers: { Authorization: `Basic ${btoa("u:p")}` } });
    expect(response.headers.get("WWW-Authenticate")).toBe('Basic realm="api", charset="UTF-8"');
  });
});
