import type { IncomingMessage, ServerResponse } from "node:http";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { pathToFileURL } from "node:url";
import { webhookSenders } from "express-operations/webhooks";
import { signatureHeaders } from "openapi-document/webhook-signature";
import { afterEach, describe, expect, test, vi } from "vitest";
import { receiveWebhook, verifyWebhook, WebhookError, type WebhookOptions } from "../src/parts/webhooks.ts";
import { compile, generatedClient } from "./generated-client.ts";
import { json, object, ref, string } from "./schemas.ts";
import { serve } from "./shop.ts";

const SECRET = `whsec_${Buffer.alloc(32, 2).toString("base64")}`;
const OTHER = Buffer.alloc(24, 1).toString("base64");
const booking = { id: 1, room: "12" };

const post = (requestBody: object) => ({ requestBody, responses: { 204: { description: "" } } });
const document = {
  openapi: "3.1.1",
  info: { title: "Hotel", version: "1" },
  paths: { "/": { get: { operationId: "get", responses: { 200: json(ref("Booking")) } } } },
  webhooks: {
    booked: { post: post({ required: true, ...json(ref("Booking")) }) },
    note: {
      post: post({ content: { "text/plain": { schema: string } } }),
      put: post(json({ type: "array", items: string })),
    },
    ping: { post: { responses: { 204: { description: "" } } } },
  },
  components: {
    schemas: {
      Booking: object({ id: { type: "integer" }, room: string, at: { ...string, format: "date-time" } }, ["id"]),
    },
  },
};

/** A message as it arrived. */
interface Message {
  request: Request;
  headers: IncomingMessage["headers"];
  body: string;
}

/** Sends a webhook by express-operations to a server, and returns what arrived. */
async function sent(body: object = booking, secret: string | string[] = SECRET): Promise<Message> {
  const received: Message[] = [];
  await using server = await serve((incoming: IncomingMessage, response: ServerResponse) => {
    void text(incoming).then((arrived) => {
      const { url = "", headers, method = "" } = incoming;
      const init = { method, body: arrived, headers: headers as Record<string, string> };
      received.push({ request: new Request(new URL(url, "http://127.0.0.1"), init), headers, body: arrived });
      response.writeHead(204).end();
    });
  });
  const senders = webhookSenders<{ booked: { post: { requestBody: { content: { "application/json": object } } } } }>()({
    document,
    secret,
  });
  expect(await senders.booked.send(server.baseUrl, body)).toMatchObject({ ok: true, attempts: 1 });
  return received[0]!;
}

/** Returns a message of any body. */
async function signed(body: string): Promise<Message> {
  const headers = await signatureHeaders(SECRET, { id: "msg_1", timestamp: new Date(), body });
  return { headers, body, request: new Request("http://a.test", { method: "POST", headers, body }) };
}

/** Returns the code and the message of the error that both functions reject a message with. */
async function refusal({ request, headers, body }: Message, options: WebhookOptions<unknown> = { secret: SECRET }) {
  const errors = [receiveWebhook(request, options), verifyWebhook(headers, Buffer.from(body), options)].map((promise) =>
    promise.then(
      () => undefined,
      (reason: unknown) => reason,
    ),
  );
  const [one, other] = (await Promise.all(errors)) as WebhookError[];
  expect(one).toBeInstanceOf(WebhookError);
  expect(other).toEqual(one);
  expect(one!.status).toBe(one!.code === "unreadable_payload" ? 400 : 401);
  return [one!.code, one!.message];
}

describe("a webhook of express-operations", () => {
  test("is received from a Request, and from headers and a body", async () => {
    const { request, headers, body } = await sent();
    expect(await receiveWebhook(request, { secret: SECRET })).toEqual(booking);
    expect(await verifyWebhook(headers, body, { secret: SECRET })).toEqual(booking);
    const upperCase = Object.fromEntries(Array.from(request.headers, ([name, value]) => [name.toUpperCase(), value]));
    expect(await verifyWebhook(upperCase, Buffer.from(body), { secret: SECRET })).toEqual(booking);
  });

  test("is received while its secret is rotated", async () => {
    const signedByBoth = await sent(booking, [OTHER, SECRET]);
    expect(await receiveWebhook(signedByBoth.request, { secret: SECRET })).toEqual(booking);
    const { headers, body } = signedByBoth;
    const twoHeaders = { ...headers, "webhook-signature": String(headers["webhook-signature"]).replace(" ", ", ") };
    expect(await verifyWebhook(twoHeaders, body, { secret: OTHER })).toEqual(booking);
    const signedByOne = await sent(booking, OTHER);
    expect(await receiveWebhook(signedByOne.request, { secret: [SECRET, OTHER] })).toEqual(booking);
  });

  test("is refused with another secret, a changed body, or another id", async () => {
    const message =
      "No signature matches the message: it was signed with another secret, or its body has changed, for example by a parser.";
    expect(await refusal(await sent(booking, OTHER))).toEqual(["wrong_signature", message]);
    const { headers, body } = await sent();
    const again = (changed: { body?: string; headers?: object }): Message => {
      const own = { headers: { ...headers, ...changed.headers } as Record<string, string>, body: changed.body ?? body };
      return { ...own, request: new Request("http://a.test", { method: "POST", ...own }) };
    };
    expect(await refusal(again({ body: body.replace("12", "13") }))).toEqual(["wrong_signature", message]);
    expect(await refusal(again({ headers: { "webhook-id": "msg_1" } }))).toEqual(["wrong_signature", message]);
    expect(await refusal(again({ headers: { "webhook-signature": "" } }))).toEqual([
      "missing_header",
      "The message has no header webhook-signature, so it is not signed.",
    ]);
  });

  test("is refused if it is replayed more than five minutes later", async () => {
    const message = await sent();
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 302_000 });
    expect(await refusal(message)).toEqual(["wrong_time", expect.stringContaining("more than five minutes")]);
  });
  afterEach(() => void vi.useRealTimers());

  test("is refused if it is no JSON, or cannot be read by the program", async () => {
    expect(await refusal(await signed("{"))).toEqual([
      "unreadable_payload",
      "The payload is not JSON or is incomplete.",
    ]);
    const read = () => decodeURIComponent("%");
    expect(await refusal(await sent(), { secret: SECRET, read })).toEqual([
      "unreadable_payload",
      "The payload cannot be read.",
    ]);
  });

  test("is refused if its bytes are no text", async () => {
    const message = { id: "msg_1", timestamp: new Date(), body: new Uint8Array([0x22, 0xff, 0x22]) };
    const headers = await signatureHeaders(SECRET, message);
    const code = "unreadable_payload";
    await expect(verifyWebhook(headers, message.body, { secret: SECRET })).rejects.toMatchObject({ code });
  });

  test("of more than 1 MiB is refused before the rest has arrived", async () => {
    let pulls = 0;
    const body = new ReadableStream<Uint8Array>({
      pull: (controller) => (pulls++, controller.enqueue(new Uint8Array(65_536))),
    });
    const request = new Request("http://a.test", { method: "POST", body, duplex: "half" } as RequestInit);
    const received = receiveWebhook(request, { secret: SECRET });
    await expect(received).rejects.toMatchObject({
      code: "too_large",
      status: 413,
      message: "The body is larger than 1048576 bytes.",
    });
    expect(pulls).toBeLessThan(20);
  });
});

describe("a secret", () => {
  test.each([
    ["whsec_~", "A webhook secret must be base64, with or without the prefix whsec_."],
    ["", "A webhook secret must be base64, with or without the prefix whsec_."],
    [[], "The list of webhook secrets is empty. Give at least one."],
  ])("of %j is an error of the program, and not of the message", async (secret, message) => {
    const { request } = await sent();
    await expect(receiveWebhook(request, { secret })).rejects.toThrow(new Error(message));
  });
});

test("the payloads of a client's webhooks have their types, also dates", async () => {
  using client = await generatedClient(document, { dates: "Date" });
  const program = `import { receiveWebhook } from "fetch-operations/parts/webhooks";
import type { Booking, WebhookPayloads } from "./index.ts";
import { readWebhook } from "./webhooks.ts";
const request = new Request("http://a.test");
const booking: Booking = await receiveWebhook(request, { secret: "", read: readWebhook.booked });
const same: WebhookPayloads["booked"] = booking;
const text: string = await receiveWebhook(request, { secret: "", read: readWebhook["POST note"] });
const list: string[] = await receiveWebhook(request, { secret: "", read: readWebhook["PUT note"] });
// @ts-expect-error a webhook without a body
void readWebhook.ping;
const date: Date | undefined = same.at;
void [text, list, date];
`;
  expect(compile(client, program)).toBe("");
  const { readWebhook } = (await import(pathToFileURL(join(client.folder, "webhooks.ts")).href)) as {
    readWebhook: Record<string, (text: string) => unknown>;
  };
  const at = "2030-12-05T00:00:00.000Z";
  const { request } = await sent({ id: 1, at });
  const options = { secret: SECRET, read: readWebhook["booked"]! };
  expect(await receiveWebhook(request, options)).toEqual({ id: 1, at: new Date(at) });
  expect(await refusal(await signed('{"at":"soon"}'), options)).toEqual([
    "unreadable_payload",
    'The payload has the date "soon", which cannot be read.',
  ]);
  expect(readWebhook["POST note"]!("a")).toBe("a");
});

test("a method of a webhook is no code in the generated module", async () => {
  const method = 'x"]>}globalThis.isRun=true;interface Q{a:NonNullable<webhooks["w"]["x';
  const webhooks = { w: { additionalOperations: { [method]: post(json(string)) } } };
  using client = await generatedClient({ ...document, openapi: "3.2.0", webhooks });
  await import(pathToFileURL(join(client.folder, "webhooks.ts")).href);
  expect(globalThis).not.toHaveProperty("isRun");
});
