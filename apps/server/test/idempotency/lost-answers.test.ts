import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import type { Pet } from "@petstore/contract";
import { expect, inject, onTestFinished, test } from "vitest";
import { json, startService } from "../../testing/service.ts";
import { everyPet } from "../load.ts";

const ANIMALS = 200;
const CLIENTS = 20;
const ATTEMPTS = 10;

test(`${ANIMALS} responses are lost after the commit: clients that retry with their Idempotency-Key add each animal once`, async () => {
  await using service = await startService();
  const proxy = await startLosingProxy(service.baseUrl);
  const names = Array.from({ length: ANIMALS }, (_, n) => `pet-${n}`);
  const answered: Pet[] = [];
  let [failures, busy] = [0, 0];

  const post = (name: string) => {
    const headers = { Authorization: `Bearer ${service.key}`, "Idempotency-Key": name };
    return fetch(`${proxy.baseUrl}/pets`, json({ name, categoryId: 1 }, headers)).catch(() => void failures++);
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
      answered.push((await response?.json()) as Pet);
    }
  };
  await Promise.all(Array.from({ length: CLIENTS }, client));

  expect(failures).toBe(ANIMALS);
  expect(busy).toBeLessThanOrEqual(inject("postgresUrl") === undefined ? 0 : ANIMALS / 10);
  expect(new Map(answered.map((pet) => [pet.name, pet]))).toEqual(proxy.lost);
  const stored = await everyPet(service.request);
  expect(stored.map(({ name }) => name).toSorted()).toEqual(names.toSorted());
  expect(new Map(stored.map((pet) => [pet.name, pet]))).toEqual(proxy.lost);
});

/** Starts a proxy that drops the first 201 for each `Idempotency-Key` with its connection, and stores the lost animals. */
async function startLosingProxy(baseUrl: string): Promise<{ baseUrl: string; lost: Map<string, Pet> }> {
  const lost = new Map<string, Pet>();
  const pass = async (incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> => {
    const { authorization = "", "content-type": type = "", "idempotency-key": key = "" } = incoming.headers;
    const response = await fetch(baseUrl + incoming.url, {
      method: "POST",
      headers: { Authorization: authorization, "Content-Type": type, "Idempotency-Key": String(key) },
      body: await text(incoming),
    });
    const body = await response.text(); // complete, so the animal is committed
    if (response.status === 201 && !lost.has(String(key))) {
      lost.set(String(key), JSON.parse(body) as Pet);
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
