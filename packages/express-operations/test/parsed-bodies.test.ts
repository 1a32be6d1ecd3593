import express, { type RequestHandler } from "express";
import multer from "multer";
import { describe, expect, test } from "vitest";
import { implement, type OpenApiDocument } from "../src/index.ts";
import { implementWebhooks } from "../src/webhooks/implement-webhooks.ts";
import { listen } from "./listen.ts";

const fields = {
  type: "object",
  required: ["title"],
  properties: {
    title: { type: "string", minLength: 1 },
    pages: { type: "integer" },
    tags: { type: "array", items: { type: "string" } },
  },
};
const file = { type: "object", required: ["cover"], properties: { cover: { type: "string", format: "binary" } } };
const document = {
  openapi: "3.1.1",
  paths: {
    "/books": {
      post: {
        operationId: "addBook",
        requestBody: {
          required: true,
          content: {
            "application/json": { schema: fields },
            "application/x-www-form-urlencoded": { schema: fields },
            "multipart/form-data": { schema: file },
            "text/plain": { schema: { type: "string" } },
            "application/octet-stream": {},
          },
        },
        responses: { 200: { description: "", content: { "application/json": {} } } },
      },
    },
  },
} as OpenApiDocument;

const addBook = ({ body, files, contentType }: { body: unknown; files?: unknown[]; contentType: string }) => ({
  status: 200,
  body: { contentType, body: Buffer.isBuffer(body) ? body.toString("hex") : body, files: files?.length },
});

/** Serves the document behind middlewares, and returns a function that sends a body. */
async function serve(options: object, ...before: RequestHandler[]) {
  const app = express();
  for (const middleware of before) app.use(middleware);
  app.use(implement()({ document, handlers: { addBook } as never, ...options }));
  const server = await listen(app);
  const send = async (contentType: string | undefined, body: string | Buffer | FormData) => {
    const headers = contentType === undefined ? {} : { "Content-Type": contentType };
    const response = await fetch(`${server.baseUrl}/books`, { method: "POST", body: body as string, headers });
    return [response.status, await response.json()];
  };
  return { send, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() };
}

const form = "application/x-www-form-urlencoded";
const parsers = [express.json(), express.text(), express.raw(), express.urlencoded({ extended: false })];

describe("parsedBodies", () => {
  test.each([
    ["application/json", '{"title":"Emma","pages":3}', { title: "Emma", pages: 3 }],
    [form, "title=Emma+%26+co&pages=3&tags=a&tags=b", { title: "Emma & co", pages: 3, tags: ["a", "b"] }],
    ["text/plain", "Emma", "Emma"],
    ["application/octet-stream", Buffer.from([1, 255]), "01ff"],
  ])("a body of %s that Express has parsed is validated and passed on like others", async (type, sent, body) => {
    await using server = await serve({ parsedBodies: true }, ...parsers);
    expect(await server.send(type, sent)).toEqual([200, { contentType: type, body }]);
    await using unparsed = await serve({});
    expect(await unparsed.send(type, sent)).toEqual([200, { contentType: type, body }]);
  });

  test.each([
    ["application/json", '{"title":"","pages":"x"}'],
    [form, "title=&pages=x"],
    [form, "pages=1"],
  ])("an invalid body of %s gets the same error as without a parser: %s", async (type, sent) => {
    await using server = await serve({ parsedBodies: true }, ...parsers);
    await using unparsed = await serve({});
    const [status, error] = await server.send(type, sent);
    expect(status).toBe(400);
    expect([status, error]).toEqual(await unparsed.send(type, sent));
  });

  test("a multipart body, which these parsers leave alone, is read as ever", async () => {
    await using server = await serve({ parsedBodies: true }, ...parsers);
    const body = new FormData();
    body.set("cover", new Blob(["x"]), "cover.png");
    expect(await server.send(undefined, body)).toEqual([200, expect.objectContaining({ files: 1 })]);
  });

  test.each<[string, RequestHandler]>([
    ["single", multer().single("cover")],
    ["any", multer().any()],
  ])(
    "a form that multer (%s) has read, as a middleware of the operation, has its fields and files",
    async (_, upload) => {
      await using server = await serve({ parsedBodies: true, use: { addBook: [upload] } });
      const body = new FormData();
      body.set("title", "Emma");
      body.set("cover", new Blob(["x"]), "cover.png");
      expect(await server.send(undefined, body)).toEqual([
        200,
        { contentType: "multipart/form-data", body: { title: "Emma", cover: "" }, files: 1 },
      ]);
      const invalid = new FormData();
      invalid.set("title", "Emma");
      expect((await server.send(undefined, invalid))[0]).toBe(400);
    },
  );

  test("without the option, a body that another middleware has read is an error, and is not read as empty", async () => {
    await using server = await serve({}, express.json());
    const [status, { fault }] = (await server.send("application/json", "{}")) as [number, { fault: string }];
    expect([status, fault]).toEqual([500, expect.stringMatching(/already read.*rawBody.*parsedBodies/)]);
  });

  test("the start fails where a parsed body cannot be used: a streamed body, and a signed one", async () => {
    const streamed = { addBook: { handler: addBook, streamsBody: true } };
    expect(() => implement()({ document, handlers: streamed as never, parsedBodies: true })).toThrow(
      /"addBook" cannot have a streamed body with the option parsedBodies: a body parser may read application\/json first/,
    );
    const webhooks = { openapi: "3.1.1", paths: {}, webhooks: { addBook: Object.values(document.paths!)[0] } };
    const options = {
      document: webhooks,
      handlers: { addBook },
      secret: ["whsec_", btoa("secret")].join(""),
      parsedBodies: true,
    };
    expect(() => implementWebhooks()(options as never)).toThrow(/parsedBodies cannot be set for signed bodies/);
  });
});

describe("the bytes of a body in request.rawBody, as on Cloud Functions", () => {
  const keepBytes: RequestHandler = express.json({
    verify: (request, _response, bytes) => Object.assign(request, { rawBody: bytes }),
  });

  test("are validated as they arrived, without an option", async () => {
    await using server = await serve({}, keepBytes);
    expect(await server.send("application/json", '{"title":"Emma"}')).toEqual([
      200,
      { contentType: "application/json", body: { title: "Emma" } },
    ]);
    await using unparsed = await serve({});
    const repeated = '{"title":"Emma","title":""}';
    expect((await server.send("application/json", repeated))[0]).toBe(400);
    expect(await server.send("application/json", repeated)).toEqual(await unparsed.send("application/json", repeated));
  });

  test("have the same limit", async () => {
    await using server = await serve({ bodyLimit: 20 }, keepBytes);
    expect((await server.send("application/json", `{"title":"${"x".repeat(20)}"}`))[0]).toBe(413);
  });
});
