import { randomUUID } from "node:crypto";
import { Agent, type IncomingMessage, request, type RequestOptions } from "node:http";
import { json } from "node:stream/consumers";
import { setTimeout } from "node:timers/promises";
import type { Pet } from "@petstore/contract";

/** The pause between two requests of a client, in milliseconds. The load has to be constant, not high. */
const PAUSE_MS = 5;
const WRITERS = 8;
const READERS = 4;

/** The results of a load. */
export interface Results {
  /** The animals that were acknowledged. */
  acknowledged: Pet[];
  /** The number of responses other than 503. */
  responses: number;
  /** The number of attempts without a response, or with 503. Each was repeated. */
  retries: number;
  /** The responses that no client should get. */
  failures: string[];
}

/** Clients at work. */
export interface Load {
  /** Resolves after so many more responses. */
  until: (responses: number) => Promise<void>;
  stop: () => Promise<Results>;
}

/**
 * Starts clients that add animals, and clients that read them again. A client repeats a request without a response, or with 503, at
 * the next of the services, with the same `Idempotency-Key`. The services may change meanwhile.
 */
export function startLoad(key: string, services: () => string[]): Load {
  const results: Results = { acknowledged: [], responses: 0, retries: 0, failures: [] };
  const stopping = new AbortController();
  const listeners = new Set<() => void>();
  let turn = 0;

  /** Returns undefined once the clients stop. */
  const send = async (options: RequestOptions, path: string, body?: string): Promise<Received | undefined> => {
    while (!stopping.signal.aborted) {
      const urls = services();
      const received = await attempt(urls[turn++ % urls.length]! + path, options, body);
      if (received !== undefined && received.status !== 503) {
        results.responses++;
        for (const listener of listeners) listener();
        return received;
      }
      results.retries++;
      await setTimeout(PAUSE_MS);
    }
    return undefined;
  };
  const write = async (options: ClientOptions): Promise<void> => {
    const name = randomUUID();
    const headers = { ...options.headers, "Idempotency-Key": name };
    const received = await send(
      { ...options, method: "POST", headers },
      "/pets",
      JSON.stringify({ name, categoryId: 1 }),
    );
    if (received?.status === 201) results.acknowledged.push(received.body as Pet);
    else if (received !== undefined) results.failures.push(`POST /pets: ${received.status}`);
  };
  const read = async (options: ClientOptions): Promise<void> => {
    const pet = results.acknowledged.at(-1);
    const received = pet && (await send(options, `/pets/${pet.id}`));
    if (received === undefined || (received.status === 200 && (received.body as Pet).name === pet?.name)) return;
    results.failures.push(`GET /pets/${pet?.id}: ${received.status}`);
  };
  const clients = [...Array<typeof write>(WRITERS).fill(write), ...Array<typeof read>(READERS).fill(read)].map(
    async (act) => {
      const agent = new Agent({ keepAlive: true, maxSockets: 1 });
      const headers = { Authorization: `Bearer ${key}`, "Content-Type": "application/json" };
      for (; !stopping.signal.aborted; await setTimeout(PAUSE_MS)) await act({ agent, headers });
      agent.destroy();
    },
  );
  return {
    until: (responses) =>
      new Promise((resolve) => {
        const enough = results.responses + responses;
        const listener = (): void => {
          if (results.responses < enough) return;
          listeners.delete(listener);
          resolve();
        };
        listeners.add(listener);
      }),
    stop: async () => {
      stopping.abort();
      await Promise.all(clients);
      return results;
    },
  };
}

/** The options of every request of a client. */
interface ClientOptions {
  agent: Agent;
  headers: Record<string, string>;
}

interface Received {
  status: number;
  body: object;
}

/** Returns undefined if there is no response. Uses Node's own client, because `fetch` would retry by itself. */
async function attempt(url: string, options: RequestOptions, body?: string): Promise<Received | undefined> {
  try {
    const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
    request(url, options).on("response", resolve).on("error", reject).end(body);
    const response = await promise;
    return { status: response.statusCode!, body: (await json(response)) as object };
  } catch {
    return undefined;
  }
}

/** Returns every animal, page by page. */
export async function everyPet(get: (path: string) => Promise<Response>): Promise<Pet[]> {
  const pets: Pet[] = [];
  for (let query: string | undefined = "?limit=100"; query !== undefined;) {
    const response = await get(`/pets${query}`);
    pets.push(...((await response.json()) as Pet[]));
    query = /^<[^?]+(\?[^>]+)>/.exec(response.headers.get("Link") ?? "")?.[1];
  }
  return pets;
}
