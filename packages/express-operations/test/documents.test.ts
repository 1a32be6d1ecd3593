import { describe, expect, test } from "vitest";
import { anyJson as ok, serveEcho as serve } from "./echo.ts";

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
