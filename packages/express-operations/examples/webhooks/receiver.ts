/** Receives the bookings of the service in server.ts, each message once: `PORT=3001 WEBHOOK_SECRET=… node receiver.ts`. */
import express from "express";
import { implementWebhooks } from "express-operations/webhook-handlers";
import document from "./openapi.json" with { type: "json" };
import type { components, webhooks } from "./operations.ts";

const received = new Map<string, components["schemas"]["Booking"]>();

const hooks = implementWebhooks<webhooks>()({
  document,
  secret: process.env["WEBHOOK_SECRET"]!,
  paths: { newBooking: "/bookings" },
  handlers: {
    newBooking: ({ body, headers }) => {
      received.set(headers["webhook-id"], body);
      return { status: 204 };
    },
  },
});

const app = express().use("/hooks", hooks);
app.get("/received", (_request, response) => void response.json([...received.values()]));
const server = app.listen(Number(process.env["PORT"] ?? 3001), "127.0.0.1", () => {
  console.log("Listening", server.address());
});
