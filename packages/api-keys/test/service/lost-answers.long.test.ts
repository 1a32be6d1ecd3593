import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import type { Thing } from "./things.ts";
import { expect, inject, onTestFinished, test } from "vitest";
import { creation, startService } from "./start.ts";
import { everyThing } from "./load.ts";

const THINGS = 200;
const CLIENTS = 20;
const ATTEMPTS = 10;

test(`${THINGS} responses are lost after the commit: clients that retry with their Idempotency-Key add each thing once`, async () => {
  await using service = await startService();
  const proxy = await startLosingProxy(service.baseUrl);
  const names = Array.from({ length: THINGS }, (_, n) => `thing-${n}`);
  const answered: Thing[] = [];
  let [failures, busy] = [0, 0];

  const post = (name: string) => {
    const headers = { Authorization: `Bearer ${service.key}`, "Idempotency-Key": name };
    return fetch(`${proxy.baseUrl}/things`, creation(name, headers)).catch(() => void failures++);
  };
  /** Retries if there is no response, or if PostgreSQL was too busy. */
  const create = async (name: string): Promise<Response | undefined> => {
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const response = await post(name);
      if (response?.status === 503) busy++;
      else if (response !== undefined) return response;
    }
    return undefined;
  };
  const remaining = names.values();
  const client = async () => {
    for (const name of remaining) {
      const response = await create(name);
      expect(response?.status).toBe(201);
      expect(response?.headers.get("Idempotency-Replayed")).toBe("true");
      answered.push((await response?.json()) as Thing);
    }
  };
  await Promise.all(Array.from({ length: CLIENTS }, client));

  expect(failures).toBe(THINGS);
  expect(busy).toBeLessThanOrEqual(inject("postgresUrl") === undefined ? 0 : THINGS / 10);
  expect(new Map(answered.map((thing) => [thing.name, thing]))).toEqual(proxy.lost);
  const stored = await everyThing(service.request);
  expect(stored.map(({ name }) => name).toSorted()).toEqual(names.toSorted());
  expect(new Map(stored.map((thing) => [thing.name, thing]))).toEqual(proxy.lost);
});

/** Starts a proxy that drops the first 201 for each `Idempotency-Key` with its connection, and stores the lost things. */
async function startLosingProxy(baseUrl: string): Promise<{ baseUrl: string; lost: Map<string, Thing> }> {
  const lost = new Map<string, Thing>();
  const pass = async (incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> => {
    const { authorization = "", "content-type": type = "", "idempotency-key": key = "" } = incoming.headers;
    const response = await fetch(baseUrl + incoming.url, {
      method: "POST",
      headers: { Authorization: authorization, "Content-Type": type, "Idempotency-Key": String(key) },
      body: await text(incoming),
    });
    const body = await response.text(); // complete, so the thing is committed
    if (response.status === 201 && !lost.has(String(key))) {
      lost.set(String(key), JSON.parse(body) as Thing);
      incoming.socket.destroy();
    } else {
      outgoing.writeHead(response.status, [...response.headers].flat()).end(body);
    }
  };
  const server = createServer((incoming, outgoing) => void pass(incoming, outgoing).catch(() => outgoing.destroy()));
  await once(server.listen(0, "127.0.0.1"), "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, lost };
}
