import { describe, expect, test } from "vitest";
import { excerpt } from "../src/eov/excerpt.ts";
import { anyJson as ok, serveEcho as serve } from "./echo.ts";

test("the handler of an operation without an operationId is named by its method and path", async () => {
  const item = {
    get: { responses: ok },
    put: { operationId: "", responses: ok },
    post: { operationId: "add", responses: ok },
  };
  const webhooks = { sold: { post: { operationId: "sold", responses: {} } } };
  await using server = await serve({ "/a/{id}": item }, { webhooks });
  for (const [method, id] of [
    ["GET", "GET /a/{id}"],
    ["PUT", "PUT /a/{id}"],
    ["POST", "add"],
  ] as const) {
    const response = await fetch(`${server.baseUrl}/a/1`, { method });
    expect(await response.json()).toMatchObject({ operationId: id });
  }
});

describe("unusual documents", () => {
  test("callbacks, webhooks and servers of a path are ignored", async () => {
    const hook = { post: { operationId: "hook", responses: ok } };
    await using server = await serve(
      {
        "/orders": {
          servers: [{ url: "https://other.example/deep/base" }],
          post: {
            operationId: "order",
            servers: [{ url: "/elsewhere" }],
            callbacks: { done: { "{$request.query.url}": hook }, lost: { $ref: "#/components/callbacks/Lost" } },
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

  test("a parameter of an operation replaces the path's parameter with the same name and place", async () => {
    const parameter = (place: string, name: string, type: string) => ({ in: place, name, schema: { type } });
    const shared = [parameter("query", "a", "integer"), parameter("header", "a", "integer")];
    const get = {
      operationId: "x",
      parameters: [parameter("query", "b", "string"), parameter("query", "a", "string")],
    };
    await using server = await serve({ "/x": { parameters: shared, get: { ...get, responses: ok } } });
    const response = await fetch(`${server.baseUrl}/x?a=text&b=1`, { headers: { a: "1" } });
    expect(await response.json()).toMatchObject({ query: { a: "text", b: "1" }, headers: { a: 1 } });
  });

  test("path templates may contain special characters of patterns", async () => {
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

  test("references may point to any part of the document, and schemas may contain themselves", async () => {
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

  test("references may point into a component with broken siblings", async () => {
    const pair = { allOf: [{ $ref: "#/components/schemas/None" }, { minLength: 2 }, { maxLength: 3 }] };
    const schema = { $ref: "#/components/schemas/Pair/allOf/2" };
    const requestBody = { content: { "application/json": { schema } } };
    await using server = await serve(
      { "/x": { post: { operationId: "x", requestBody, responses: ok } } },
      { components: { schemas: { Pair: pair } } },
    );
    const post = async (body: string) => {
      const headers = { "Content-Type": "application/json" };
      return (await fetch(`${server.baseUrl}/x`, { method: "POST", headers, body })).status;
    };
    expect([await post("1"), await post('"a"'), await post('"abcd"')]).toEqual([200, 200, 400]);
  });

  test("references may point into other operations", async () => {
    const first = {
      operationId: "first",
      callbacks: { broken: { $ref: "#/components/callbacks/None" } },
      parameters: [
        { in: "path", name: "x", required: true, schema: { type: "string" } },
        { in: "query", name: "n", schema: { type: "integer" } },
      ],
      responses: ok,
    };
    const there = (rest: string) => ({ $ref: `#/paths/~1first~1%7Bx%7D/get/${rest}` });
    const schema = {
      type: "object",
      properties: { n: there("parameters/1/schema"), all: there("parameters/1") },
    };
    await using server = await serve({
      "/first/{x}": { get: first },
      "/second/{x}": {
        get: { operationId: "second", parameters: [there("parameters/0"), there("parameters/1")], responses: ok },
      },
      "/third": {
        post: { operationId: "third", requestBody: { content: { "application/json": { schema } } }, responses: ok },
      },
    });
    const get = async (url: string, init?: RequestInit) => (await fetch(server.baseUrl + url, init)).status;
    const post = (body: string) =>
      get("/third", { method: "POST", headers: { "Content-Type": "application/json" }, body });
    expect([await get("/second/a?n=2"), await get("/second/a?n=x")]).toEqual([200, 400]);
    expect([await post('{"n":2}'), await post('{"n":"x"}')]).toEqual([200, 400]);
  });

  test("the default of a readOnly field does not invalidate a request", async () => {
    const properties = { made: { type: "string", default: "now", readOnly: true }, default: { type: "string" } };
    await using server = await serve({
      "/x": {
        post: {
          operationId: "x",
          requestBody: { content: { "application/json": { schema: { type: "object", properties } } } },
          responses: ok,
        },
      },
    });
    const post = async (body: string) => {
      const headers = { "Content-Type": "application/json" };
      const response = await fetch(`${server.baseUrl}/x`, { method: "POST", headers, body });
      return [response.status, ((await response.json()) as { body?: unknown }).body];
    };
    expect(await post("{}")).toEqual([200, {}]);
    expect(await post('{"default":1}')).toEqual([400, undefined]);
    expect(await post('{"made":"then"}')).toEqual([400, undefined]);
  });

  test.each(["3.0.3", "3.1.0"])(
    "a discriminator selects the schema in OpenAPI %s, and messages name the field",
    async (openapi) => {
      const kind = { type: "string" };
      const cat = { type: "object", required: ["kind"], properties: { kind } };
      const dog = { type: "object", required: ["kind", "barks"], properties: { kind, barks: { type: "boolean" } } };
      const of = (name: string) => `#/components/schemas/${name}`;
      const pet = {
        oneOf: [{ $ref: of("Cat") }, { $ref: of("Dog") }],
        discriminator: { propertyName: "kind", mapping: { cat: of("Cat"), dog: of("Dog") } },
      };
      await using server = await serve(
        {
          "/pets": {
            post: {
              operationId: "addPet",
              requestBody: { required: true, content: { "application/json": { schema: pet } } },
              responses: ok,
            },
          },
        },
        { openapi, components: { schemas: { Cat: cat, Dog: dog } } },
      );
      const post = async (body: string) => {
        const headers = { "Content-Type": "application/json" };
        const response = await fetch(`${server.baseUrl}/pets`, { method: "POST", headers, body });
        const { message } = (await response.json()) as { message?: string };
        return [response.status, message];
      };
      const unknown = [400, 'Body field "kind" must be one of: cat, dog.'];
      expect(await post('{"kind":"dog","barks":true}')).toEqual([200, undefined]);
      expect(await post('{"kind":"dog"}')).toEqual([400, 'Body field "barks" is required.']);
      for (const body of ['{"kind":"cow"}', '{"kind":"__proto__"}', '{"kind":{}}'])
        expect(await post(body)).toEqual(unknown);
      expect(await post("{}")).toEqual([400, 'Body field "kind" is required.']);
      for (const body of ["null", "[]", '"dog"'])
        expect(await post(body)).toEqual([400, "The request body must be an object."]);
    },
  );

  test.each<[openapi: string, schema: object, nulls: boolean]>([
    ["3.0.3", { type: "string", nullable: true }, true],
    ["3.0.3", { type: "string", enum: ["a"], nullable: true }, false],
    ["3.0.3", { allOf: [{ type: "string" }], nullable: true }, false],
    ["3.0.3", { nullable: true }, true],
    ["3.1.0", { type: ["string", "null"] }, true],
    ["3.1.0", { anyOf: [{ type: "string" }, { type: "null" }] }, true],
    ["3.1.0", { const: null }, true],
    ["3.1.0", { type: "string" }, false],
  ])("whether null is valid in OpenAPI %s for the schema %o: %s", async (openapi, schema, isAllowed) => {
    const content = { "application/json": { schema: { type: "object", properties: { field: schema } } } };
    await using server = await serve(
      { "/x": { post: { operationId: "x", requestBody: { content }, responses: ok } } },
      { openapi },
    );
    const headers = { "Content-Type": "application/json" };
    const { status } = await fetch(`${server.baseUrl}/x`, { method: "POST", headers, body: '{"field":null}' });
    expect(status).toBe(isAllowed ? 200 : 400);
  });

  test("an error names a reference to a missing part or to another document", async () => {
    const broken = (ref: string) =>
      serve({ "/x": { get: { operationId: "x", parameters: [{ $ref: ref }], responses: ok } } });
    await expect(broken("#/components/parameters/None")).rejects.toThrow(
      "The reference #/components/parameters/None has no target.",
    );
    await expect(broken("./other.yaml#/x")).rejects.toThrow("Bundle it first");
  });
});

const MAPS =
  "paths webhooks callbacks responses headers content links encoding variables schemas parameters requestBodies";
const MORE_MAPS = "securitySchemes pathItems flows properties patternProperties dependentSchemas $defs";

test.each([...MAPS.split(" "), ...MORE_MAPS.split(" ")])(
  "names in %s are not read as keywords, and references below them are followed",
  (keyword) => {
    const shared = { $ref: "#/components/schemas/Shared" };
    const operation = { requestBody: { [keyword]: { example: { type: "string" }, default: shared, enum: shared } } };
    const whole = { openapi: "3.1.0", components: { schemas: { Shared: { type: "integer" }, Other: {} } } };
    const { document, at } = excerpt(whole, "put", operation);
    expect(document).toMatchObject({ paths: { [at]: { put: operation } } });
    expect(document.components).toEqual({ schemas: { Shared: { type: "integer" } } });
  },
);

test("an excerpt has an unused path, and keeps defaults except those of readOnly fields", () => {
  const schemas = { A: { default: 1, readOnly: true }, B: { default: 1, readOnly: false }, C: { default: 1 } };
  const operation = { operationId: "x", requestBody: { content: { "application/json": { schema: schemas } } } };
  const { document, at } = excerpt({ openapi: "3.1.0", paths: { "/": {}, "/_": {} } }, "put", operation);
  expect(at).toBe("/__");
  expect(document).toEqual({
    openapi: "3.1.0",
    info: { title: "x", version: "0" },
    paths: {
      "/__": {
        put: {
          operationId: "x",
          requestBody: { content: { "application/json": { schema: { ...schemas, A: { readOnly: true } } } } },
        },
      },
    },
    components: {},
  });
});

test("an excerpt rejects a reference to a missing part, and names it", () => {
  const requestBody = { $ref: "#/components/schemas/None" };
  const whole = { openapi: "3.1.0", components: { schemas: {} } };
  expect(() => excerpt(whole, "put", { requestBody })).toThrow(
    "The reference #/components/schemas/None has no target.",
  );
});

const VALUES = "default const enum security required dependentRequired mapping scopes";

test.each(VALUES.split(" "))("a reference in the value of %s is read as data", (keyword) => {
  const schema = { [keyword]: [{ $ref: "#/components/schemas/None" }], example: { $ref: "#/None" } };
  const content = { "application/json": { schema } };
  const { document, at } = excerpt({ openapi: "3.1.0" }, "put", { requestBody: { content } });
  expect(document.paths).toEqual({
    [at]: { put: { requestBody: { content: { "application/json": { schema: { [keyword]: schema[keyword] } } } } } },
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

  test("fields are validated, and files are separate from the body", async () => {
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
    const text = await send(formOf({ title: "Hi", file: "hello" }));
    expect(await text.json()).toMatchObject({
      status: 400,
      message: 'Body field "file" must be a file. Give its part a file name.',
    });
    expect((await send(formOf({ title: "Hi", file: new File(["x".repeat(70_000)], "big") }))).status).toBe(413);
    expect((await send("nonsense", { "Content-Type": "multipart/form-data; boundary=x" })).status).toBe(400);
    expect((await send("nonsense", { "Content-Type": "multipart/form-data" })).status).toBe(400);
    expect((await send("{}", { "Content-Type": "application/json" })).status).toBe(415);
  });

  describe("files of a field", () => {
    const binary = { type: "string", format: "binary" };
    const photo = new File([Uint8Array.of(0xff, 0xfe)], "a.png", { type: "image/png" });

    /** Sends parts to a form with the field `photo`. Returns the body and the fields of the files, or the message. */
    async function send(schema: object, parts: [name: string, value: string | File][], media: object = {}) {
      const fields = { type: "object", properties: { photo: schema, name: { type: "string" } } };
      const requestBody = { content: { "multipart/form-data": { schema: fields, ...media } } };
      await using server = await serve({ "/x": { post: { ...upload, requestBody } } });
      const data = new FormData();
      for (const [name, value] of parts) data.append(name, value);
      const response = await fetch(`${server.baseUrl}/x`, { method: "POST", body: data });
      const answer = (await response.json()) as { body: object; files: { field: string }[]; message: string };
      return response.status === 200 ? [answer.body, answer.files.map(({ field }) => field)] : answer.message;
    }

    test.each(["photo", "photo[]", "photo[0]"])("a list may have one file: %s", async (name) => {
      const list = { type: "array", items: binary };
      expect(await send(list, [[name, photo]])).toEqual([{ photo: [""] }, ["photo"]]);
      expect(await send(list, [[name, "text"]])).toBe('Body field "photo" must be a file. Give its part a file name.');
    });

    test.each([
      ["without a type", {}, {}],
      ["of any items", { type: "array", items: {} }, {}],
      ["or another choice", { oneOf: [binary, { type: "integer" }] }, {}],
      ["of a media type that is not text", { type: "string" }, { encoding: { photo: { contentType: "image/png" } } }],
    ])("%s are files, and texts are texts", async (_title, schema, media) => {
      const [photos, text] = "items" in schema ? [[""], ["1"]] : ["", "oneOf" in schema ? 1 : "1"];
      expect(await send(schema, [["photo", photo]], media)).toEqual([{ photo: photos }, ["photo"]]);
      expect(await send(schema, [["photo", "1"]], media)).toEqual([{ photo: text }, []]);
    });

    test.each(["anyOf", "oneOf"])("%s with null are files alone", async (keyword) => {
      const optional = { [keyword]: [binary, { type: "null" }] };
      expect(await send(optional, [["photo", photo]])).toEqual([{ photo: "" }, ["photo"]]);
      expect(await send(optional, [["photo", "text"]])).toBe(
        'Body field "photo" must be a file. Give its part a file name.',
      );
    });

    test("are absent if the part is empty and has no file name, as browsers send it", async () => {
      const nothing =
        '--b\r\nContent-Disposition: form-data; name="photo"; filename=""\r\nContent-Type: application/octet-stream\r\n\r\n';
      const answerTo = async (schema: object, bytes: string, required: string[] = []) => {
        const fields = { type: "object", properties: { photo: schema }, required };
        const requestBody = { content: { "multipart/form-data": { schema: fields } } };
        await using server = await serve({ "/x": { post: { ...upload, requestBody } } });
        const headers = { "Content-Type": "multipart/form-data; boundary=b" };
        const sent = { method: "POST", body: `${nothing}${bytes}\r\n--b--\r\n`, headers };
        const { body, files, message } = (await (await fetch(`${server.baseUrl}/x`, sent)).json()) as Record<
          string,
          unknown
        >;
        return message ?? [body, (files as unknown[]).length];
      };
      for (const schema of [binary, { type: "array", items: binary }])
        expect(await answerTo(schema, "")).toEqual([{}, 0]);
      expect(await answerTo(binary, "x")).toEqual([{ photo: "" }, 1]);
      expect(await answerTo({}, "")).toEqual([{ photo: "" }, 1]);
      expect(await answerTo(binary, "", ["photo"])).toBe('Body field "photo" is required.');
    });

    test("with lists of lists do not stop the operation", async () => {
      const components = { schemas: { List: { type: "array", items: { $ref: "#/components/schemas/List" } } } };
      const schema = { type: "object", properties: { lists: { $ref: "#/components/schemas/List" } } };
      const requestBody = { content: { "multipart/form-data": { schema } } };
      await using server = await serve({ "/x": { post: { ...upload, requestBody } } }, { components });
      const response = await fetch(`${server.baseUrl}/x`, { method: "POST", body: formOf({ lists: "[[]]" }) });
      expect(await response.json()).toMatchObject({ body: { lists: [[]] } });
    });

    test("that is text must be UTF-8, as its texts must", async () => {
      expect(await send(binary, [["name", photo]])).toBe('Body field "name" is not valid UTF-8. Encode it as UTF-8.');
    });
  });

  test("a text that is not UTF-8 is rejected", async () => {
    await using server = await serve({ "/upload": { post: upload } });
    const headers = { "Content-Type": "multipart/form-data; boundary=b" };
    const send = async (text: string, encoding: BufferEncoding) => {
      const part = (name: string, value: string) =>
        `--b\r\nContent-Disposition: form-data; ${name}\r\n\r\n${value}\r\n`;
      const body = `${part('name="title"', text)}${part('name="file"; filename="a"', "")}--b--\r\n`;
      const sent = { method: "POST", body: Buffer.from(body, encoding), headers };
      return (await fetch(`${server.baseUrl}/upload`, sent)).status;
    };
    expect([await send("é", "utf8"), await send("\uFFFD", "utf8"), await send("é", "latin1")]).toEqual([200, 200, 400]);
  });

  test("a body that ends within a file is rejected, and does not end the process", async () => {
    await using server = await serve({ "/upload": { post: upload } });
    const headers = { "Content-Type": "multipart/form-data; boundary=b" };
    const body = '--b\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\nhello';
    const response = await fetch(`${server.baseUrl}/upload`, { method: "POST", body, headers });
    expect(response.status).toBe(400); // Vitest fails for an uncaught error
  });

  test("one file of a list is a list, as is one empty text", async () => {
    const list = (items: object) => ({ type: "array", items });
    const fields = { files: list({ type: "string", format: "binary" }), tags: list({ type: "string" }) };
    const requestBody = { content: { "multipart/form-data": { schema: { type: "object", properties: fields } } } };
    await using server = await serve({ "/x": { post: { ...upload, requestBody } } });
    const body = formOf({ files: new File(["1"], "f"), tags: "" });
    const response = await fetch(`${server.baseUrl}/x`, { method: "POST", body });
    expect(await response.json()).toMatchObject({ body: { files: [""], tags: [""] } });
  });

  test.each([
    [
      "Content-Disposition: form-data",
      "A part of the request body has no name. Name its field in Content-Disposition.",
    ],
    [
      'Content-Disposition: form-data; name=""',
      "A part of the request body has no name. Name its field in Content-Disposition.",
    ],
    [
      'Content-Disposition: form-data; name="title"\r\nContent-Type: text/plain; charset=nope',
      'Body field "title" is in an unknown charset. Send it in UTF-8.',
    ],
  ])("a part with the head %j is rejected", async (head, message) => {
    await using server = await serve({ "/upload": { post: upload } });
    const body = `--b\r\n${head}\r\n\r\nx\r\n--b--\r\n`;
    const headers = { "Content-Type": "multipart/form-data; boundary=b" };
    const response = await fetch(`${server.baseUrl}/upload`, { method: "POST", body, headers });
    expect([response.status, ((await response.json()) as { message: string }).message]).toEqual([400, message]);
  });

  test.each([
    ['{"a":{"a":1}}', 200],
    [`${'{"a":'.repeat(4_000)}1${"}".repeat(4_000)}`, 400],
    ['{"a":{},"a":{}}', 400],
    ['{"id":12345678901234567890}', 400],
  ])("JSON in a field is read by the strict rules of bodies: %.40s is %d", async (value, status) => {
    const tree = { type: "object", additionalProperties: { $ref: "#/components/schemas/Tree" } };
    const schemas = { Tree: { ...tree, type: ["object", "integer"] } };
    const fields = { type: "object", properties: { tree } };
    const requestBody = { content: { "multipart/form-data": { schema: fields } } };
    await using server = await serve({ "/x": { post: { ...upload, requestBody } } }, { components: { schemas } });
    const response = await fetch(`${server.baseUrl}/x`, { method: "POST", body: formOf({ tree: value }) });
    expect(response.status).toBe(status);
  });

  test("parts of one field are read as one JSON text; a field that may be a string is text", async () => {
    const either = { oneOf: [{ type: "string" }, { type: "array", items: { type: "integer" } }] };
    const fields = {
      type: "object",
      properties: { tree: { type: "object" }, list: { type: "array", items: { type: "integer" } }, either },
    };
    const requestBody = { content: { "multipart/form-data": { schema: fields } } };
    await using server = await serve({ "/x": { post: { ...upload, requestBody } } });
    const send = async (parts: [string, string][]) => {
      const data = new FormData();
      for (const [name, value] of parts) data.append(name, value);
      return (await fetch(`${server.baseUrl}/x`, { method: "POST", body: data })).status;
    };
    expect(
      await send([
        ["tree", '{"a":1'],
        ["tree", '"a":2}'],
      ]),
    ).toBe(400);
    expect(await send([["either", "12345678901234567890"]])).toBe(200);
    expect([await send([["list", "[123]"]]), await send([["list", "[12345678901234567890]"]])]).toEqual([200, 400]);
  });
});
