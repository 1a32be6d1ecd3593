import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import { startService } from "@petstore/server/testing";
import { expect, test } from "vitest";
import { createPetstore } from "../src/index.ts";
import { faulty } from "./faulty.ts";

const CREATIONS = 400;
const AT_ONCE = 25;

const FAULTS = ["drop before", "drop after", "503", "429", "half"] as const;
type Fault = (typeof FAULTS)[number] | "slow" | "none";

/** Returns the faults of a creation's first attempts: none, one or two, and for every 40th creation a timeout first. */
function faultsOf(index: number): Fault[] {
  const slow: Fault[] = index % 40 === 0 ? ["slow"] : [];
  return [...slow, FAULTS[index % 5]!, FAULTS[(index + 2) % 5]!].slice(0, slow.length + (index % 3));
}

test(`${CREATIONS} creations through a faulty proxy add each animal exactly once`, async () => {
  await using service = await startService();
  const counts = new Map<Fault, number>();
  const left = new Map<unknown, Fault[]>();
  const faultOf = ({ headers: { "idempotency-key": key } }: IncomingMessage): Fault => {
    if (key === undefined) return "none"; // a page of the listing
    if (!left.has(key)) left.set(key, faultsOf(left.size));
    const fault = left.get(key)!.shift() ?? "none";
    counts.set(fault, (counts.get(fault) ?? 0) + 1);
    return fault;
  };
  await using proxy = await faulty(proxyTo(service.baseUrl, faultOf));
  const patience = { timeout: Infinity, attemptTimeout: 2_000, retry: { limit: 100, baseDelay: 2, maxDelay: 20 } };
  const petstore = createPetstore({ baseUrl: proxy.baseUrl, apiKey: service.key, ...patience });

  const names = Array.from({ length: CREATIONS }, (_, index) => `pet ${index}`);
  const waiting = [...names];
  const added: number[] = [];
  const work = async (): Promise<void> => {
    for (let name = waiting.pop(); name !== undefined; name = waiting.pop())
      added.push((await petstore.createPet({ name, categoryId: 1 }).orThrow()).id);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));

  const pets = await Array.fromAsync(petstore.paginate.listPets({ limit: 100 }));
  expect(pets.map(({ name }) => name).toSorted()).toEqual(names.toSorted());
  expect(pets.map(({ id }) => id)).toEqual(added.toSorted((a, b) => a - b));
  for (const fault of [...FAULTS, "slow"] as const) expect(counts.get(fault), fault).toBeGreaterThanOrEqual(10);
});

/** A proxy that applies the fault of `faultOf` to each request. */
function proxyTo(baseUrl: string, faultOf: (request: IncomingMessage) => Fault): RequestListener {
  return (request, response) => void pass(request, response);

  async function pass(request: IncomingMessage, response: ServerResponse): Promise<unknown> {
    const fault = faultOf(request);
    if (fault === "drop before") return request.socket.destroy();
    if (fault === "503") return response.writeHead(503, { "Content-Type": "text/html" }).end("<h1>Unavailable</h1>");
    if (fault === "429") return response.writeHead(429, { "Retry-After": "0" }).end();
    const upstream = await forward(request, baseUrl);
    if (fault === "drop after") return request.socket.destroy();
    if (fault === "slow") return undefined; // until the client gives up
    response.writeHead(upstream.status, {
      "Content-Type": "application/json",
      "Content-Length": upstream.body.length,
      ...upstream.link,
    });
    if (fault === "half")
      response.write(upstream.body.slice(0, upstream.body.length / 2), () => request.socket.destroy());
    else response.end(upstream.body);
    return undefined;
  }
}

async function forward(request: IncomingMessage, baseUrl: string) {
  const body = request.method === "POST" ? Buffer.concat(await Array.fromAsync(request)) : undefined;
  const { authorization = "", "content-type": type = "", "idempotency-key": key = "" } = request.headers;
  const headers = { authorization, ...(body && { "content-type": type, "idempotency-key": String(key) }) };
  const upstream = await fetch(new URL(request.url!, baseUrl), {
    method: request.method!,
    headers,
    ...(body && { body }),
  });
  const link = upstream.headers.get("Link");
  return {
    status: upstream.status,
    body: Buffer.from(await upstream.arrayBuffer()),
    ...(link && { link: { Link: link } }),
  };
}
