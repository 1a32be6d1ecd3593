import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import { describe, expect, test } from "vitest";
import { type AnyResult, generatedClient } from "./generated-client.ts";
import { type UploadProgress, uploadProgress } from "../src/parts/upload-progress.ts";
import { serve, serveDocument } from "./shop.ts";
import { string } from "./schemas.ts";

const binary = { type: "string", format: "binary" };
const json = { "application/json": { schema: {} } };
const done = { 200: { description: "", content: json } };

function documentOf(operation: object, method = "post", more: object = {}) {
  const paths = { "/x": { [method]: { operationId: "act", responses: done, ...operation } } };
  return { openapi: "3.1.1", info: { title: "T", version: "1" }, paths, ...more };
}

describe("express-operations reads the body that the client writes:", () => {
  const form = {
    type: "object",
    properties: {
      name: string,
      age: { type: "integer" },
      tags: { type: "array", items: string },
      owner: { type: "object", properties: { city: string } },
      sizes: { type: "array", items: { type: "object", properties: { x: { type: "integer" } } } },
    },
  };
  const value = { name: "a b&c=é", age: 5, tags: ["x", "y,z"], owner: { city: "Köln" }, sizes: [{ x: 1 }, { x: 2 }] };
  const bytes = new Uint8Array([0, 255, 10, 13]);

  test.each<[type: string, media: object, sent: unknown, read: unknown]>([
    ["application/json", { schema: {} }, { a: [1, null] }, { a: [1, null] }],
    ["application/json", { schema: { type: ["null", "integer"] } }, null, null],
    ["application/vnd.shop+json", { schema: {} }, { a: 1 }, { a: 1 }],
    ["text/plain", { schema: string }, "né", "né"],
    ["text/csv", { schema: string }, "a,b\n", "a,b\n"],
    ["application/xml", { schema: string }, "<a/>", "<a/>"],
    ["application/x-www-form-urlencoded", { schema: form }, value, value],
    [
      "application/x-www-form-urlencoded",
      {
        schema: form,
        encoding: { tags: { style: "form", explode: false }, owner: { contentType: "application/json" } },
      },
      { tags: ["a", "b,c"], owner: { city: "K" } },
      { tags: ["a", "b,c"], owner: { city: "K" } },
    ],
    ["multipart/form-data", { schema: form }, value, value],
    ["application/octet-stream", { schema: binary }, bytes, [...bytes]],
    ["image/png", { schema: binary }, new Blob([bytes]), [...bytes]],
    ["image/*", { schema: binary }, new Blob([bytes], { type: "image/gif" }), [...bytes]],
  ])("%s %#", async (type, media, sent, read) => {
    const document = documentOf({ requestBody: { required: true, content: { [type]: media } } });
    using client = await generatedClient(document);
    const act = ({ body }: { body: unknown }) => ({
      status: 200,
      body: [body instanceof Uint8Array ? [...body] : body],
    });
    await using server = await serveDocument(document, { act });
    const result = await client.create({ baseUrl: server.baseUrl })["act"]!({ body: sent });
    expect(result.data).toEqual([read]);
  });

  const upload = {
    type: "object",
    required: ["photo"],
    properties: { title: string, photo: binary, more: { type: "array", items: binary } },
  };
  const content = "photo \r\n--bytes é";
  const stream = () => new Blob([content]).stream();
  test.each<[title: string, body: () => object, names: (string | undefined)[]]>([
    ["a File", () => ({ title: "T", photo: new File([content], 'a"b.png', { type: "image/png" }) }), ["a%22b.png"]],
    ["a Blob", () => ({ title: "T", photo: new Blob([content]) }), ["blob"]],
    ["bytes", () => ({ title: "T", photo: new TextEncoder().encode(content) }), ["photo"]],
    ["a stream", () => ({ title: "T", photo: stream() }), ["photo"]],
    [
      "a named stream",
      () => ({ title: "T", photo: { content: stream(), filename: "c.png", contentType: "image/png" } }),
      ["c.png"],
    ],
    [
      "a stream with a strange name",
      () => ({ title: "T", photo: { content: stream(), filename: 'a"\r\n.png' } }),
      ["a%22%0D%0A.png"],
    ],
    [
      "several files",
      () => ({ title: "T", photo: new Blob([content]), more: [new Blob(["1"]), stream()] }),
      ["blob", "blob", "more"],
    ],
  ])("an upload of %s", async (_title, body, names) => {
    const document = documentOf({
      requestBody: { required: true, content: { "multipart/form-data": { schema: upload } } },
    });
    using client = await generatedClient(document);
    type Upload = { body: { title: string }; files: { field: string; name: string; bytes: Uint8Array }[] };
    const act = ({ body: { title }, files }: Upload) => ({
      status: 200,
      body: { title, names: files.map(({ name }) => name), text: new TextDecoder().decode(files[0]!.bytes) },
    });
    await using server = await serveDocument(document, { act });
    const answer = await client.create({ baseUrl: server.baseUrl })["act"]!({ body: body() }).orThrow();
    expect(answer).toMatchObject({ title: "T", text: content });
    expect((answer as { names: string[] }).names).toEqual(names);
  });

  test("an upload that a call reports while the service reads it", async () => {
    const requestBody = { required: true, content: { "application/pdf": { schema: binary } } };
    using client = await generatedClient(documentOf({ requestBody }));
    const read = Promise.withResolvers<IncomingMessage>();
    await using server = await serve((request, response) => {
      request.once("data", () => read.resolve(request.pause()));
      request.on("end", () => response.writeHead(200, { "Content-Type": "application/json" }).end("1"));
    });
    let last: UploadProgress | undefined;
    const body = new Blob([new Uint8Array(64 * 2 ** 20)]);
    const options = {
      fetch: uploadProgress(fetch, (progress) => (last = progress)),
      headers: { "Content-Length": String(body.size) },
    };
    const result = client.create({ baseUrl: server.baseUrl })["act"]!({ body }, options);
    const request = await read.promise;
    expect(last?.total).toBe(body.size);
    expect(last?.loaded).toBeLessThan(body.size);
    request.resume();
    expect(await result).toMatchObject({ ok: true, data: 1 });
    expect(last?.loaded).toBe(body.size);
  });

  test("one of several media types, by contentType", async () => {
    const content_ = {
      "text/plain": { schema: string },
      "application/json": { schema: {} },
      "application/x-www-form-urlencoded": { schema: form },
    };
    const document = documentOf({ requestBody: { required: true, content: content_ } });
    using client = await generatedClient(document);
    await using server = await serveDocument(document, { act: (input) => ({ status: 200, body: input }) });
    const act = client.create({ baseUrl: server.baseUrl })["act"]!;
    expect(await act({ body: { a: 1 } }).orThrow()).toMatchObject({ body: { a: 1 }, contentType: "application/json" });
    expect(await act({ body: "t", contentType: "text/plain" }).orThrow()).toMatchObject({
      body: "t",
      contentType: "text/plain",
    });
    expect((await act({ body: "t", contentType: "text/html" })).error).toMatchObject({
      code: "unsendable_request",
      message: expect.stringContaining("The operation takes no body of type text/html."),
    });
  });

  test.each<[declared: string, body: () => unknown, type: string | RegExp, text: string | RegExp]>([
    ["*/*", () => new Blob(["PNG"], { type: "image/png" }), "image/png", "PNG"],
    ["*/*", () => new Blob(["x"]), "application/octet-stream", "x"],
    ["*/*", () => new TextEncoder().encode("x"), "application/octet-stream", "x"],
    ["*/*", () => new Blob(["x"]).stream(), "application/octet-stream", "x"],
    ["*/*", () => "text", "text/plain", "text"],
    ["*/*", () => ({ a: 1 }), "application/json", '{"a":1}'],
    ["*/*", () => new URLSearchParams({ a: "1" }), "application/x-www-form-urlencoded", "a=1"],
    ["*/*", () => formOf("a"), /^multipart\/form-data; boundary=/, /name="a"/],
    ["application/*", () => ["a"], "application/json", '["a"]'],
    ["image/*", () => new Blob(["PNG"], { type: "image/png" }), "image/png", "PNG"],
    ["multipart/form-data", () => formOf("b"), /^multipart\/form-data; boundary=/, /name="b"/],
    ["application/x-www-form-urlencoded", () => new URLSearchParams("a=1&a=2"), /^application\/x-www/, "a=1&a=2"],
  ])("of %s %#: a value has its own type where the contract leaves it open", async (declared, body, type, text) => {
    using client = await generatedClient(documentOf({ requestBody: { required: true, content: { [declared]: {} } } }));
    const received: string[] = [];
    await using server = await serve((request, response) => {
      let sent = "";
      request.on("data", (chunk) => (sent += String(chunk)));
      request.on("end", () => {
        received.push(request.headers["content-type"]!, sent);
        response.writeHead(200, { "Content-Type": "application/json" }).end("[]");
      });
    });
    const thing = client.create({ baseUrl: server.baseUrl });
    expect(await thing["act"]!({ body: body() })).toMatchObject({ ok: true });
    expect(received).toEqual([expect.stringMatching(type), expect.stringMatching(text)]);
  });

  test("no body, if it is optional", async () => {
    const document = documentOf({ requestBody: { content: json } });
    using client = await generatedClient(document);
    await using server = await serveDocument(document, {
      act: ({ body }: { body: unknown }) => ({ status: 200, body: [body === undefined] }),
    });
    const act = client.create({ baseUrl: server.baseUrl })["act"]!;
    expect(await act().orThrow()).toEqual([true]);
    expect(await act({ body: { a: 1 } }).orThrow()).toEqual([false]);
  });

  test("a stream is sent once, and not again after a failure", async () => {
    let count = 0;
    await using server = await serve((request, response) => {
      count++;
      request.resume().on("end", () => response.writeHead(503).end());
    });
    const content_ = { "application/octet-stream": { schema: binary }, "multipart/form-data": { schema: upload } };
    using client = await generatedClient(documentOf({ "x-retryable": true, requestBody: { content: content_ } }));
    const retries: unknown[] = [];
    const onRetry = (retry: unknown) => void retries.push(retry);
    const act = client.create({ baseUrl: server.baseUrl, retry: { baseDelay: 1 }, onRetry })["act"]!;
    const contentType = "multipart/form-data";
    expect((await act({ body: stream() })).ok).toBe(false);
    expect((await act({ body: { photo: stream() }, contentType })).ok).toBe(false);
    expect((await act({ body: { photo: new Blob([]), more: [{ content: stream() }] }, contentType })).ok).toBe(false);
    expect([count, retries]).toEqual([3, []]);
    await act({ body: new Blob(["a"]) });
    await act({ body: { photo: new Blob(["a"]) }, contentType });
    expect(count).toBe(3 + 8);
  });
});

function formOf(name: string): FormData {
  const form = new FormData();
  form.set(name, "1");
  return form;
}

describe("a response", () => {
  const answer =
    (status: number, type: string | undefined, body?: string | Uint8Array): RequestListener =>
    (_request: IncomingMessage, response: ServerResponse) => {
      response.writeHead(status, type === undefined ? {} : { "Content-Type": type }).end(body);
    };
  async function call(responses: object, listener: RequestListener, method = "get"): Promise<AnyResult> {
    using client = await generatedClient(documentOf({ responses }, method));
    await using server = await serve(listener);
    return await client.create({ baseUrl: server.baseUrl, retry: false })["act"]!();
  }
  const of = (type: string, schema: object = {}) => ({ description: "", content: { [type]: { schema } } });

  test.each<[responses: object, listener: RequestListener, status: number, data: unknown, method?: string]>([
    [{ 200: of("application/json", { type: ["null", "string"] }) }, answer(200, "application/json", "null"), 200, null],
    [{ 200: of("application/json", string) }, answer(200, "text/plain", '"a"'), 200, "a"],
    [{ 200: of("application/problem+json") }, answer(200, "application/problem+json", "{}"), 200, {}],
    [{ 200: of("text/csv", string) }, answer(200, "text/csv; charset=utf-8", "a,é"), 200, "a,é"],
    [{ 200: of("text/plain", string) }, answer(200, "text/plain", ""), 200, ""],
    [{ 200: of("application/xml", string) }, answer(200, "application/xml", "<a/>"), 200, "<a/>"],
    [{ 202: { description: "" } }, answer(202, undefined), 202, undefined],
    [{ 202: { description: "" } }, answer(202, "text/html", "<p>"), 202, undefined],
    [{ 204: { description: "" } }, answer(204, undefined), 204, undefined],
    [{ 205: { description: "" } }, answer(205, undefined), 205, undefined],
    [{ "2XX": of("application/json") }, answer(206, "application/json", "[1]"), 206, [1]],
    [{ 201: { description: "" }, "2XX": of("application/json") }, answer(201, undefined), 201, undefined],
    [{ default: of("application/json") }, answer(200, "application/json", "[1]"), 200, [1]],
    [{ 200: of("*/*") }, answer(200, "application/json", "[1]"), 200, [1]],
    [{ 200: of("*/*") }, answer(200, "text/plain", "t"), 200, "t"],
    [{ 200: { description: "" } }, answer(200, undefined), 200, undefined, "head"],
    [{ 200: of("application/json") }, answer(200, "application/json"), 200, undefined, "head"],
    [{ 200: of("application/json") }, answer(200, "application/json", "[1]"), 200, [1], "options"],
    [
      { 200: of("application/json") },
      answer(200, "application/json", "[9007199254740991]"),
      200,
      [9_007_199_254_740_991],
    ],
    [
      { 200: of("application/json") },
      answer(200, "application/json", '["9007199254740993"]'),
      200,
      ["9007199254740993"],
    ],
  ])("%j is a success %#", async (responses, listener, status, data, method) => {
    const result = await call(responses, listener, method);
    expect(result.error).toBeUndefined();
    expect([result.status, result.data]).toEqual([status, data]);
  });

  test.each(["image/png", "application/octet-stream", "application/pdf", "image/*", "*/*"])(
    "of %s is a Blob",
    async (type) => {
      const bytes = new Uint8Array([0, 255, 1]);
      const sent = type.includes("*") ? "image/gif" : type;
      const { data } = await call({ 200: of(type, binary) }, answer(200, sent, bytes));
      expect(data).toBeInstanceOf(Blob);
      expect((data as Blob).type).toBe(sent);
      expect(new Uint8Array(await (data as Blob).arrayBuffer())).toEqual(bytes);
    },
  );

  test.each<[type: string, sent: string, body: string, data: unknown]>([
    ["application/json", "application/json", "[1]", [1]],
    ["text/csv", "text/csv; header=present", "a", "a"],
  ])("of several media types is read as %s, and names it", async (contentType, sent, body, data) => {
    const content = { "application/json": { schema: {} }, "text/csv": { schema: string } };
    const result = await call({ 200: { description: "", content } }, answer(200, sent, body));
    expect(result).toMatchObject({ ok: true, data, contentType });
  });

  test.each<[responses: object, listener: RequestListener, error: object]>([
    [{ 404: { description: "" } }, answer(404, undefined), { code: "http_404", status: 404 }],
    [{ 404: of("application/json") }, answer(404, "application/json", '{"errors":[1]}'), { errors: [1] }],
    [{ "4XX": of("application/json") }, answer(409, "application/json", '{"a":1}'), { a: 1 }],
  ])("%j is an error with its body", async (responses, listener, error) => {
    const result = await call({ 200: of("application/json"), ...responses }, listener);
    expect(result).toMatchObject({ ok: false, error });
    expect(result.status).toBeGreaterThan(0);
  });

  test("is an error of text, if the contract declares text", async () => {
    const result = await call(
      { 200: of("application/json"), 400: of("text/plain", string) },
      answer(400, "text/plain", "no"),
    );
    expect(result).toMatchObject({ ok: false, status: 400, error: "no" });
  });

  test.each<[responses: object, listener: RequestListener, message: string]>([
    [
      { default: of("application/json") },
      answer(502, "text/html", "<p>"),
      "The response 502 (text/html) is not the contract's Error. A proxy may have sent it.",
    ],
    [
      { 200: { description: "", content: { "text/csv": {}, "application/json": {} } } },
      answer(200, "image/png", "x"),
      "The response 200 (image/png) has a media type that the contract does not declare.",
    ],
    [
      { 200: of("application/json") },
      answer(200, "application/json", '{"id": 9007199254740993}'),
      "The response 200 (application/json) has the integer 9007199254740993, which a JavaScript number would round.",
    ],
    [
      { 200: of("application/json") },
      answer(200, "application/json", "[-12345678901234567891]"),
      "The response 200 (application/json) has the integer -12345678901234567891, which a JavaScript number would round.",
    ],
  ])("of %j is a failure: %#", async (responses, listener, message) => {
    expect((await call(responses, listener)).error).toMatchObject({ code: "unreadable_answer", message });
  });

  test("can be read from raw calls", async () => {
    using client = await generatedClient(documentOf({ responses: { 200: of("image/png", binary) } }, "get"));
    await using server = await serve((request, response) => {
      if (request.headers["x-fail"]) response.writeHead(404).end("gone");
      else response.writeHead(200, { "Content-Type": "image/png" }).end("bytes");
    });
    const { raw } = client.create({ baseUrl: server.baseUrl });
    expect(await (await raw["act"]!()).text()).toBe("bytes");
    await expect(raw["act"]!({}, { headers: { "X-Fail": "1" } })).rejects.toMatchObject({
      httpStatus: 404,
      bodyStart: "gone",
    });
  });
});
