import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { signatureHeaders } from "openapi-document/webhook-signature";
import { Webhook } from "standardwebhooks";
import { describe, expect, onTestFinished, test } from "vitest";
import { type Handlers, type Input } from "../src/index.ts";
import { implementWebhooks, type ReceivedWebhooks } from "../src/webhooks/implement-webhooks.ts";
import { callbackSenders, InvalidWebhookError, WebhookDeliveryError, webhookSenders } from "../src/webhooks/senders.ts";
import { document, type webhooks } from "./fixtures/hotel.ts";
import { listen } from "./listen.ts";

const SECRET = `whsec_${Buffer.alloc(32, 2).toString("base64")}`;
const OTHER = `whsec_${Buffer.alloc(24, 1).toString("base64")}`;
const booking = { id: 1, room: "12" };
const headers = { "X-Hotel": 7 };
const senders = webhookSenders<webhooks>()({ document, secret: SECRET, retry: { delay: 1 } });
type Options = Parameters<ReturnType<typeof implementWebhooks<webhooks>>>[0];

/** Serves the webhooks of the hotel. `seen` holds the inputs of handlers. */
async function receiver(options: Partial<Pick<Options, "secret" | "paths" | "problemFormat">> = {}) {
  const seen: { id: string; input: Record<string, unknown> }[] = [];
  const see = (input: Input<ReceivedWebhooks<webhooks>[keyof ReceivedWebhooks<webhooks>]>) =>
    seen.push({ id: input.headers["webhook-id"], input: { ...input } });
  const handlers: Handlers<ReceivedWebhooks<webhooks>> = {
    booked: (input) => (see(input), { status: 200, body: { seen: true } }),
    "POST note": (input) => (see(input), { status: 204 }),
    "PUT note": (input) => (see(input), { status: 204 }),
  };
  const hooks = implementWebhooks<webhooks>()({ document, secret: SECRET, ...options, handlers });
  const server = await listen(hooks, "/hooks");
  onTestFinished(() => server[Symbol.asyncDispose]());
  return { seen, baseUrl: server.baseUrl };
}

/** Answers each request with the next function; the last answers all others. */
async function script(...answers: ((request: IncomingMessage, response: ServerResponse) => void)[]) {
  const seen: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    seen.push(request);
    request.resume();
    answers[Math.min(seen.length, answers.length) - 1]!(request, response);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => server.close().closeAllConnections());
  return { seen, origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

const respond =
  (status: number, more: Record<string, string> = {}, body = "") =>
  (_: IncomingMessage, response: ServerResponse) =>
    void response.writeHead(status, more).end(body);

describe("a sender and a receiver of the same document", () => {
  test("the receiver's handler gets body, parameters and id, and the sender its declared response", async () => {
    const { seen, baseUrl } = await receiver();
    const query = { tags: ["a b", "c&d"] };
    const options = { headers, query, cookies: { lang: "a; b" }, id: "msg_1" };
    const delivery = await senders.booked.send(`${baseUrl}/booked`, booking, options);
    expect(delivery).toMatchObject({ ok: true, status: 200, isGone: false, id: "msg_1", attempts: 1 });
    expect(delivery.response).toEqual({ status: 200, contentType: "application/json", body: { seen: true } });
    expect(seen[0]!.input).toMatchObject({
      operationId: "booked",
      body: booking,
      headers: { "X-Hotel": 7, "webhook-id": "msg_1" },
      query,
      cookies: { lang: "a; b" },
    });
  });

  test("each message gets an id of its own", async () => {
    const { seen, baseUrl } = await receiver();
    for (let time = 0; time < 2; time++) await senders.booked.send(`${baseUrl}/booked`, booking, { headers });
    expect(seen[0]!.id).toMatch(/^msg_[0-9a-f]{32}$/);
    expect(seen[1]!.id).not.toBe(seen[0]!.id);
  });

  test("texts, bytes and messages without a body are signed", async () => {
    const { seen, baseUrl } = await receiver();
    const note = `${baseUrl}/note`;
    expect(await senders["POST note"].send(note, "café", { contentType: "text/plain" })).toMatchObject({ ok: true });
    const image = { contentType: "image/svg+xml" as const };
    expect(await senders["POST note"].send(note, Buffer.from("<svg/>"), image)).toMatchObject({ ok: true });
    expect(await senders["PUT note"].send(note)).toMatchObject({ ok: true, response: { status: 204 } });
    const png = Buffer.from([0xff]);
    expect(await senders["POST note"].send(note, png, { contentType: "image/png" })).toMatchObject({ ok: true });
    expect(seen.map(({ input }) => input["body"])).toEqual(["café", expect.anything(), undefined, png]);
  });

  test("paths of the receiver are options, and may have parameters", async () => {
    const { seen, baseUrl } = await receiver({ paths: { booked: "/{tenant}/new" } });
    const url = new URL(`${baseUrl}/acme/new?tags=own`);
    expect(await senders.booked.send(url, booking, { headers, query: { tags: ["x"] } })).toMatchObject({ ok: true });
    expect(seen[0]!.input).toMatchObject({ path: { tenant: "acme" }, query: { tags: ["own", "x"] } });
    expect(String(url)).toBe(`${baseUrl}/acme/new?tags=own`);
  });

  test("while a secret is rotated, both secrets are accepted and sign", async () => {
    const rotating = await receiver({ secret: [OTHER, SECRET] });
    expect(await senders.booked.send(`${rotating.baseUrl}/booked`, booking, { headers })).toMatchObject({ ok: true });
    const old = await receiver();
    const send = (secret: string | string[]) =>
      senders.booked.send(`${old.baseUrl}/booked`, booking, { headers, secret });
    expect(await send([OTHER, SECRET])).toMatchObject({ ok: true });
    expect(await send(OTHER)).toMatchObject({ ok: false, status: 401, response: undefined });
  });

  test.each([undefined, null, false, ""])("a secret of %s authenticates no request", async (none) => {
    const { seen, baseUrl } = await receiver({ secret: () => none as undefined });
    expect((await senders.booked.send(`${baseUrl}/booked`, booking, { headers })).status).toBe(401);
    expect(seen).toEqual([]);
  });

  test("the secret may depend on the request", async () => {
    const secret: Options["secret"] = ({ query }) => (query["tags"] === "other" ? OTHER : undefined);
    const { baseUrl } = await receiver({ secret });
    const send = (url: string) => senders.booked.send(`${baseUrl}${url}`, booking, { headers, secret: OTHER });
    expect(await send("/booked?tags=other")).toMatchObject({ ok: true });
    expect(await send("/booked")).toMatchObject({ status: 401 });
  });
});

describe("a receiver", () => {
  /** Sends a request that is signed, and then changed. */
  async function post(
    url: string,
    change: (sent: { body: string | Buffer; headers: Record<string, string> }) => void,
    at = Date.now(),
  ) {
    const body = JSON.stringify(booking);
    const sent = {
      body: body as string | Buffer,
      headers: {
        "Content-Type": "application/json",
        "X-Hotel": "7",
        "webhook-id": "msg_1",
        "webhook-timestamp": String(Math.floor(at / 1000)),
        "webhook-signature": new Webhook(SECRET).sign("msg_1", new Date(at), body),
      } as Record<string, string>,
    };
    change(sent);
    const response = await fetch(url, { method: "POST", ...sent });
    const challenge = response.headers.get("WWW-Authenticate");
    return { status: response.status, body: await response.json(), challenge };
  }

  const UNAUTHORIZED = {
    status: 401,
    body: { code: "unauthorized", message: expect.any(String) as string, status: 401 },
    challenge: "WebhookSignature",
  };

  test("accepts a message of the specification's own library", async () => {
    const { baseUrl, seen } = await receiver();
    expect(await post(`${baseUrl}/booked`, () => {})).toMatchObject({ status: 200, body: { seen: true } });
    expect(seen[0]!.input).toMatchObject({ body: booking });
  });

  test.each<[string, Parameters<typeof post>[1]]>([
    ["a changed byte", (sent) => void (sent.body = '{"id":1,"room":"13"}')],
    ["white space that JSON ignores", (sent) => void (sent.body = '{"id":1, "room":"12"}')],
    ["another id", ({ headers: sent }) => void (sent["webhook-id"] = "msg_2")],
    ["no id", ({ headers: sent }) => void delete sent["webhook-id"]],
    ["no signature", ({ headers: sent }) => void delete sent["webhook-signature"]],
    ["no timestamp", ({ headers: sent }) => void delete sent["webhook-timestamp"]],
    ["a timestamp in words", ({ headers: sent }) => void (sent["webhook-timestamp"] = "now")],
    ["a signature of another version", ({ headers: sent }) => void (sent["webhook-signature"] = "v2,xxxx")],
    ["no body", (sent) => void (sent.body = "")],
    ["JSON that does not parse", (sent) => void (sent.body = "{")],
    [
      "bytes that are not UTF-8, with the signature of what they decode to",
      (sent) => {
        sent.body = Buffer.from([0xff]);
        const { "webhook-id": id = "", "webhook-timestamp": at } = sent.headers;
        sent.headers["webhook-signature"] = new Webhook(SECRET).sign(id, new Date(Number(at) * 1000), "\ufffd");
      },
    ],
  ])("rejects %s with 401 before anything is parsed", async (_, change) => {
    const { baseUrl, seen } = await receiver();
    expect(await post(`${baseUrl}/booked`, change)).toEqual(UNAUTHORIZED);
    expect(seen).toEqual([]);
  });

  test.each([-301_000, 302_000])("rejects a message signed %i ms from now", async (difference) => {
    const { baseUrl } = await receiver();
    expect(await post(`${baseUrl}/booked`, () => {}, Date.now() + difference)).toEqual(UNAUTHORIZED);
    expect(await post(`${baseUrl}/booked`, () => {}, Date.now() + difference * 0.9)).toMatchObject({ status: 200 });
  });

  test("verifies a body that the webhook does not declare", async () => {
    const { baseUrl, seen } = await receiver();
    const put = (body: string) =>
      fetch(`${baseUrl}/note`, {
        method: "PUT",
        body,
        headers: { "webhook-id": "a", "webhook-timestamp": "1", "webhook-signature": "v1,x", "Content-Type": "a/b" },
      });
    expect((await put("x")).status).toBe(401);
    expect((await put("")).status).toBe(401);
    expect(seen).toEqual([]);
  });

  test("validates authentic messages, and writes errors as problemFormat says", async () => {
    const { baseUrl } = await receiver({ problemFormat: "problem+json" });
    const body = '{"id":"x"}';
    const signature = new Webhook(SECRET).sign("msg_1", new Date(), body);
    const invalid = await post(`${baseUrl}/booked`, (message) => {
      message.body = body;
      message.headers["webhook-signature"] = signature;
    });
    expect(invalid).toMatchObject({ status: 400, body: { errors: [{ pointer: "/id", code: "type" }] } });
    const forged = await post(`${baseUrl}/booked`, (message) => void (message.body = "{"));
    const detail = expect.stringContaining("signature is missing or does not match") as string;
    expect(forged).toMatchObject({ status: 401, body: { title: "Unauthorized", detail } });
  });

  test("does not start with a path of no webhook, an unusable secret or a missing handler", () => {
    const serve = (options: object) => () =>
      implementWebhooks<webhooks>()({ document, secret: SECRET, handlers: {}, ...options } as never);
    expect(serve({ paths: { left: "/" } })).toThrow('The document has no webhook "left": remove its path.');
    expect(serve({ secret: "whsec_~" })).toThrow("A webhook secret must be base64, with or without the prefix whsec_.");
    expect(serve({ secret: [] })).toThrow("The list of webhook secrets is empty. Give at least one.");
    expect(serve({})).toThrow('Operation "POST note" has no handler: add one to the handlers.');
    const handler = () => ({ status: 204 });
    const booked = { handler, streamsBody: true };
    expect(serve({ handlers: { booked, "POST note": handler, "PUT note": handler } })).toThrow(
      'The handler of "booked" cannot have a streamed body: its signature covers the whole body. Remove `streamsBody`.',
    );
    expect(serve({ document: { openapi: "2.0" } })).toThrow("The document is OpenAPI 2.0");
  });
});

describe("a sender", () => {
  test.each([false, "", undefined, null])("sends nothing if its signer returns %s", async (value) => {
    const { seen, origin } = await script(respond(204));
    const { booked } = webhookSenders<webhooks, "X-Hotel">()({ document, signer: () => value as never });
    await expect(booked.send(`${origin}/a`, booking, {})).rejects.toThrow(
      'The signer of "booked" returned no headers, so nothing was sent. Return an object of headers.',
    );
    expect(seen).toEqual([]);
  });

  test("sends the headers of a signer in place of a signature, also those that the document requires", async () => {
    const { seen, origin } = await script(respond(204));
    const { booked } = webhookSenders<webhooks, "X-Hotel">()({
      document,
      signer: ({ id, body, url }) => ({ "X-Hotel": String(id.length + body.length), "X-Path": url.pathname }),
    });
    await booked.send(`${origin}/a`, booking, { id: "x" });
    expect(seen[0]!.headers).toMatchObject({ "x-hotel": "21", "x-path": "/a" });
    expect(seen[0]!.headers).not.toHaveProperty("webhook-signature");
  });

  test.each([
    [
      { id: "x" } as never,
      headers,
      'Body field "id" must be an integer.',
      [{ in: "body", pointer: "/id", code: "type" }],
    ],
    [{ id: 1, room: "1" }, headers, 'Body field "room" must have at least 2 characters.', [{ pointer: "/room" }]],
    [undefined as never, headers, "It needs a body of application/json.", []],
    [booking, { "X-Hotel": "x" as never }, 'Header "X-Hotel" must be an integer', [{ in: "header" }]],
    [booking, {} as never, 'Header "X-Hotel" is required', [{ parameter: "X-Hotel" }]],
  ])("does not send %o with headers %o", async (body, given, message, errors) => {
    const { seen, origin } = await script(respond(204));
    const error: unknown = await senders.booked
      .send(origin, body, { headers: given })
      .catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(InvalidWebhookError);
    expect((error as Error).message).toContain(`The message of "booked" was not sent. ${message}`);
    expect(error).toMatchObject({ webhook: "booked", errors });
    expect(seen).toEqual([]);
  });

  test.each([
    ["ftp://127.0.0.1/", "The URL is not an absolute http or https URL."],
    ["/hooks", "The URL is not an absolute http or https URL."],
    ["http://me:secret@127.0.0.1/", "The URL contains credentials."],
  ])("does not send to %s", async (url, message) => {
    await expect(senders.booked.send(url, booking, { headers })).rejects.toThrow(message);
  });

  test("does not send with an id that would shift the signed content, or without a secret", async () => {
    const url = "http://127.0.0.1:1";
    await expect(senders.booked.send(url, booking, { headers, id: "a.1" })).rejects.toThrow(InvalidWebhookError);
    const unsigned = webhookSenders<webhooks>()({ document });
    await expect(unsigned.booked.send(url, booking, { headers })).rejects.toThrow(
      '"booked" has no secret. Give a secret',
    );
  });

  test("does not send media types that are not declared, or bodies that these do not have", async () => {
    const { send } = senders["POST note"];
    const url = "http://127.0.0.1:1";
    await expect(send(url, "x", { contentType: "text/html" as never })).rejects.toThrow("one of: text/plain, image/*");
    await expect(send(url, { a: 1 } as never, { contentType: "text/plain" })).rejects.toThrow(
      "as a string or as bytes",
    );
    await expect(send(url, "x".repeat(10), { contentType: "text/plain" })).rejects.toThrow("at most 9 characters");
    await expect(senders["PUT note"].send(url, "x" as never)).rejects.toThrow("It has no body.");
  });

  test("sends again after 408, 429 and 5xx, with the same id and a new signature", async () => {
    const { seen, origin } = await script(
      respond(408),
      respond(429, { "Retry-After": "0" }),
      respond(503),
      respond(200),
    );
    const delivery = await senders.booked.send(origin, booking, { headers, retry: { attempts: 9 } });
    expect(delivery).toMatchObject({ ok: true, status: 200, attempts: 4, response: undefined });
    expect(new Set(seen.map((request) => request.headers["webhook-id"]))).toEqual(new Set([delivery.id]));
  });

  test("waits as long as Retry-After says, up to the longest wait", async () => {
    const { origin } = await script(respond(503, { "Retry-After": "1" }), respond(204));
    const start = performance.now();
    expect(await senders.booked.send(origin, booking, { headers })).toMatchObject({ ok: true, attempts: 2 });
    expect(performance.now() - start).toBeGreaterThan(990);
    const later = new Date(Date.now() + 3_600_000).toUTCString();
    const busy = await script(respond(503, { "Retry-After": later }));
    const delivery = await senders.booked.send(busy.origin, booking, { headers });
    expect(delivery).toMatchObject({ ok: false, status: 503, attempts: 1 });
    expect(delivery.retryAfter).toBeGreaterThan(3_590_000);
  });

  test("reads the date in Retry-After by the receiver's clock", async () => {
    const behind = { Date: "Wed, 01 Jan 2020 00:00:00 GMT", "Retry-After": "Wed, 01 Jan 2020 01:00:00 GMT" };
    const { origin } = await script(respond(503, behind));
    const delivery = await senders.booked.send(origin, booking, { headers });
    expect(delivery).toMatchObject({ attempts: 1, retryAfter: 3_600_000 });
  });

  test.each([
    [410, { isGone: true, response: { status: 410 } }],
    [404, { isGone: false, response: undefined }],
    [302, { isGone: false, response: undefined }],
  ])("sends once if the response is %i", async (status, expected) => {
    const { seen, origin } = await script(respond(status, { Location: "/elsewhere" }));
    expect(await senders.booked.send(origin, booking, { headers })).toMatchObject({ ok: false, status, ...expected });
    expect(seen).toHaveLength(1);
  });

  test.each([
    ["is not declared for the status", 201, "application/json", '{"seen":true}'],
    ["has another media type", 200, "text/html", '{"seen":true}'],
    ["does not match its schema", 200, "application/json", '{"seen":1}'],
    ["does not parse", 200, "application/json", "{"],
    ["nests too deeply", 200, "application/json", `{"seen":true,"a":${"[".repeat(9_999)}${"]".repeat(9_999)}}`],
    ["is too large to be read", 200, "application/json", `{"seen":true${" ".repeat(65_536)}}`],
  ])("ignores the body of a response that %s", async (_, status, type, body) => {
    const { origin } = await script(respond(status, { "Content-Type": type }, body));
    expect(await senders.booked.send(origin, booking, { headers })).toMatchObject({
      ok: true,
      status,
      response: undefined,
    });
  });

  test("reads the body of a response that lacks a declared header", async () => {
    const described = { description: "", headers: { "X-A": { required: true } }, content: { "application/json": {} } };
    const webhooks = { left: { post: { responses: { 200: described } } } };
    const { left } = webhookSenders<{ left: { post: { responses: object } } }>()({
      document: { openapi: "3.1.0", webhooks },
      secret: SECRET,
    });
    const { origin } = await script(respond(200, { "Content-Type": "application/json" }, "[1]"));
    const response = { status: 200, contentType: "application/json", body: [1] };
    expect(await left.send(origin)).toMatchObject({ ok: true, response });
  });

  test("reports a receiver that cannot be reached by its origin and the attempts", async () => {
    const { seen, origin } = await script((request) => void request.destroy());
    const url = `${origin}/secret/path?token=1`;
    const error: unknown = await senders.booked
      .send(url, booking, { headers, id: "x" })
      .catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(WebhookDeliveryError);
    expect(error).toMatchObject({ webhook: "booked", origin, id: "x", attempts: 3, isTimeout: false });
    expect((error as Error).message).toBe(
      `"booked" was not delivered to ${origin}. Attempt 3, the last, failed without a response.`,
    );
    expect(seen).toHaveLength(3);
  });

  test("reports an attempt that takes longer than its time-out, even in the body of the response", async () => {
    const { origin } = await script((_, response) => void response.writeHead(200).write("{"));
    const options = { headers, timeout: 50, retry: { attempts: 1 } };
    await expect(senders.booked.send(origin, booking, options)).rejects.toMatchObject({ isTimeout: true, attempts: 1 });
  });

  test("ends with the reason of its signal, in an attempt and between attempts", async () => {
    const reason = new Error("the shop closes");
    const first = new AbortController();
    const slow = await script(() => first.abort(reason));
    const options = { headers, signal: first.signal, timeout: 600_000, retry: { attempts: 1 } };
    await expect(senders.booked.send(slow.origin, booking, options)).rejects.toBe(reason);
    const second = new AbortController();
    const busy = webhookSenders<webhooks>()({
      document,
      secret: SECRET,
      retry: { delay: 600_000, maxDelay: 600_000 },
      fetch: async () => {
        setImmediate(() => second.abort(reason)); // the sender waits by then
        return new Response(null, { status: 503 });
      },
    });
    const { signal } = second;
    await expect(busy.booked.send("http://a.example", booking, { headers, signal })).rejects.toBe(reason);
  });

  test("sends with the fetch of the application", async () => {
    const urls: string[] = [];
    const own: typeof fetch = async (url) => {
      urls.push(new Request(url).url);
      return new Response(null, { status: 204 });
    };
    const { booked } = webhookSenders<webhooks>()({ document, secret: SECRET, fetch: own });
    expect(await booked.send("https://[::1]/x", booking, { headers })).toMatchObject({ ok: true, status: 204 });
    expect(urls).toEqual(["https://[::1]/x"]);
  });

  test("ignores path parameters, because the receiver chooses the path", async () => {
    const { origin } = await script(respond(204));
    const parameters = [{ name: "tenant", in: "path", required: true, schema: { type: "integer" } }];
    const of = { openapi: "3.1.0", webhooks: { left: { post: { parameters, responses: {} } } } };
    const { left } = webhookSenders<{ left: { post: object } }>()({ document: of, secret: SECRET });
    expect(await left.send(origin)).toMatchObject({ ok: true });
  });

  test.each([
    ["get", "GET and a body, which fetch does not send together"],
    ["trace", "TRACE, which fetch does not send"],
  ])("cannot be made for a %s that fetch does not send", (method, message) => {
    const of = { openapi: "3.1.0", webhooks: { hook: { [method]: { requestBody: { content: {} } } } } };
    expect(() => webhookSenders()({ document: of })).toThrow(`"hook" has the method ${message}.`);
  });
});

describe("a callback", () => {
  const callbacks = callbackSenders<webhooks>()({ document, secret: SECRET });

  test("is sent to the URL that the request gives", async () => {
    const { seen, origin } = await script(respond(204));
    const request = { path: { stayId: 7 }, body: { url: `${origin}/paid` } };
    expect(await callbacks.book.paid.send({ request }, booking)).toMatchObject({ ok: true, response: { status: 204 } });
    expect(seen[0]!.url).toBe("/paid?stay=7");
    expect(String(callbacks.book.paid.url({ request }))).toBe(`${origin}/paid?stay=7`);
    expect(await callbacks.book.paid.send(`${origin}/stored`, booking)).toMatchObject({ ok: true });
    expect(seen[1]!.url).toBe("/stored");
  });

  test("is named by its expression too if it has several", async () => {
    const { seen, origin } = await script(respond(204));
    await callbacks.book["left $request.body#/url"].send({ request: { body: { url: `${origin}/left` } } });
    expect(seen[0]!.url).toBe("/left");
  });

  test("is not sent without a URL", async () => {
    const { send } = callbacks.book.paid;
    await expect(send({ request: { path: { stayId: 7 }, body: {} } }, booking)).rejects.toThrow(
      new InvalidWebhookError("paid", "$request.body#/url is missing."),
    );
  });

  test("cannot be made from an expression that is none", () => {
    const callback = { $url2: { post: {} } };
    const of = { openapi: "3.1.0", paths: { "/a": { get: { operationId: "a", callbacks: { hook: callback } } } } };
    expect(() => callbackSenders()({ document: of })).toThrow(
      'Callback "hook" of operation "a": $url2 is not a runtime expression of OpenAPI.',
    );
  });
});

test("the signature of the specification's library for its example is the same", async () => {
  // cspell:ignore ILPZ
  // https://github.com/standard-webhooks/standard-webhooks, the test vector of all its libraries
  const message = {
    id: "msg_p5jXN8AQM9LWM0D4loKWxJek",
    timestamp: new Date(1_614_265_330_000),
    body: '{"test": 2432232314}',
  };
  expect(await signatureHeaders("MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", message)).toEqual({
    "webhook-id": message.id,
    "webhook-timestamp": "1614265330",
    "webhook-signature": "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
  });
});
