import type { Input } from "../src/index.ts";
import { implementWebhooks, type ReceivedWebhooks } from "../src/webhooks/implement-webhooks.ts";
import { callbackSenders, webhookSenders } from "../src/webhooks/senders.ts";
import { document, type webhooks } from "./fixtures/hotel.ts";

/** Checked only by `tsc`: each line after `@ts-expect-error` has an error, and no other line has one. */
type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
const is = <_Assertion extends true>() => {};

const senders = webhookSenders<webhooks>()({ document });
const callbacks = callbackSenders<webhooks>()({ document });
const url = "https://example.com";
const booking = { id: 1 };

is<Equal<keyof typeof senders, "booked" | "POST note" | "PUT note">>();
is<Equal<keyof typeof callbacks, "book">>();
is<
  Equal<
    keyof typeof callbacks.book,
    "paid" | "left $request.body#/url" | "left http://127.0.0.1:1/{$request.body#/url}"
  >
>();

export async function sent() {
  const { response } = await senders.booked.send(url, booking, { headers: { "X-Hotel": 1 }, query: { tags: ["a"] } });
  if (response?.status === 200) is<Equal<typeof response.body, { seen: boolean }>>();
  else is<Equal<typeof response, ({ status: 410 } & { contentType?: undefined; body?: undefined }) | undefined>>();
  // @ts-expect-error the header X-Hotel is required
  await senders.booked.send(url, booking);
  // @ts-expect-error X-Hotel is a number
  await senders.booked.send(url, booking, { headers: { "X-Hotel": "1" } });
  // @ts-expect-error the sender itself sets webhook-id
  await senders.booked.send(url, booking, { headers: { "X-Hotel": 1, "webhook-id": "1" } });
  // @ts-expect-error the body is required
  await senders.booked.send(url);
  // @ts-expect-error the field id is a number
  await senders.booked.send(url, { id: "1" }, { headers: { "X-Hotel": 1 } });
  const signed = webhookSenders<webhooks, "x-hotel">()({ document, signer: () => ({ "X-Hotel": "1" }) });
  await signed.booked.send(url, booking);

  await senders["PUT note"].send(url);
  await senders["PUT note"].send(url, undefined, { id: "1" });
  // @ts-expect-error with two media types, contentType is required
  await senders["POST note"].send(url, "hello");
  await senders["POST note"].send(url, "hello", { contentType: "text/plain" });
  await senders["POST note"].send(url, new Uint8Array(), { contentType: "image/png" });

  await callbacks.book.paid.send(url, booking);
  await callbacks.book.paid.send({ request: { body: { url } } }, booking);
  // @ts-expect-error a source has a request
  await callbacks.book.paid.send({}, booking);
}

interface OptionalBody {
  requestBody?: { content: { "application/json": { id: number } } };
  parameters: { query: { q: string } };
  responses: object;
}
export async function sentOptionally() {
  const { left } = webhookSenders<{ left: { post: OptionalBody } }>()({ document });
  await left.send(url, undefined, { query: { q: "a" } });
  await left.send(url, booking, { query: { q: "a" } });
  // @ts-expect-error the field id is a number
  await left.send(url, { id: "1" }, { query: { q: "a" } });
  // @ts-expect-error the query is required
  await left.send(url, booking);
}

implementWebhooks<webhooks>()({
  document,
  secret: "",
  paths: { note: "/notes" },
  handlers: {
    booked: ({ body, headers, query }) => {
      is<Equal<typeof body.id, number>>();
      is<Equal<(typeof headers)["webhook-id"], string>>();
      is<Equal<(typeof headers)["X-Hotel"], number>>();
      is<Equal<typeof query.tags, string[] | undefined>>();
      return { status: 200, body: { seen: true } };
    },
    "POST note": ({ headers }) => {
      is<Equal<(typeof headers)["webhook-id"], string>>();
      return { status: 204 };
    },
    "PUT note": () => ({ status: 204 }),
  },
});
const others = { "POST note": () => ({ status: 204 as const }), "PUT note": () => ({ status: 204 as const }) };
// @ts-expect-error the webhook booked has no handler
implementWebhooks<webhooks>()({ document, secret: "", handlers: others });
// @ts-expect-error there is no webhook left
implementWebhooks<webhooks>()({ document, secret: "", paths: { left: "/" }, handlers: {} as never });

is<Equal<Input<ReceivedWebhooks<webhooks>["PUT note"]>["body"], undefined>>();
