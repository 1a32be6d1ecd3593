/** Adds bookings, and sends each to the subscribers and to the URL in its request: `WEBHOOK_SECRET=… node server.ts`. */
import express from "express";
import { implement } from "express-operations";
import { callbackSenders, webhookSenders } from "express-operations/webhooks";
import document from "./openapi.json" with { type: "json" };
import type { operations, webhooks } from "./operations.ts";

const subscribers: { url: string; secret: string }[] = [];
let lastId = 0;

const senders = webhookSenders<webhooks>()({ document });
const callbacks = callbackSenders<webhooks>()({ document, secret: process.env["WEBHOOK_SECRET"]! });
const report = (error: unknown) => console.error(String(error));

const bookings = implement<operations>()({
  document,
  handlers: {
    subscribe: ({ body }) => {
      subscribers.push(body);
      return { status: 204 };
    },
    addBooking: (input) => {
      const booking = { id: ++lastId, room: input.body.room };
      for (const { url, secret } of subscribers) senders.newBooking.send(url, booking, { secret }).catch(report);
      if (input.body.statusUrl !== undefined)
        callbacks.addBooking.confirmed.send({ request: input }, booking).catch(report);
      return { status: 201, body: booking };
    },
  },
});

const app = express().use("/v1", bookings);
const server = app.listen(Number(process.env["PORT"] ?? 3000), "127.0.0.1", () => {
  console.log("Listening", server.address());
});
