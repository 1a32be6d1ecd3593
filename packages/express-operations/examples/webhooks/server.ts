/** Adds bookings, and sends each to the subscribers and to the URL in its request: `WEBHOOK_SECRET=… node server.ts`. */
import express from "express";
import { implement } from "express-operations";
import { callbackSenders, webhookSenders } from "express-operations/webhooks";
import document from "./openapi.json" with { type: "json" };
import type { components, operations, webhooks } from "./operations.ts";

const subscribers: { url: string; secret: string }[] = [];
const bookings: components["schemas"]["Booking"][] = [];

const senders = webhookSenders<webhooks>()({ document });
const callbacks = callbackSenders<webhooks>()({ document, secret: process.env["WEBHOOK_SECRET"]! });
const report = (error: unknown) => console.error(String(error));

const service = implement<operations>()({
  document,
  handlers: {
    subscribe: ({ body }) => {
      subscribers.push(body);
      return { status: 204 };
    },
    findBookings: ({ body }) => {
      const found = bookings.filter(({ room }) => body.room === undefined || body.room === room);
      return { status: 200, body: found.slice(0, body.limit) };
    },
    addBooking: (input) => {
      const booking = { id: bookings.length + 1, room: input.body.room };
      bookings.push(booking);
      for (const { url, secret } of subscribers) senders.newBooking.send(url, booking, { secret }).catch(report);
      if (input.body.statusUrl !== undefined)
        callbacks.addBooking.confirmed.send({ request: input }, booking).catch(report);
      return { status: 201, body: booking };
    },
  },
});

const app = express().use("/v1", service);
const server = app.listen(Number(process.env["PORT"] ?? 3000), "127.0.0.1", () => {
  console.log("Listening", server.address());
});
