import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { createPetstore, type Petstore, type PetstoreOptions } from "../src/index.ts";

/** A server that responds as the test defines, and a client of it with short waits. */
export interface Faulty {
  petstore: Petstore;
  origin: string;
  baseUrl: string;
  /** The requests received so far, as `GET /v1/pets`. */
  requests: string[];
  [Symbol.asyncDispose]: () => Promise<void>;
}

/** The key that the client of a faulty server sends. */
export const KEY = "pst_test_secret";

/** Starts a server on a free port. */
export async function faulty(answer: RequestListener, options: Partial<PetstoreOptions> = {}): Promise<Faulty> {
  const requests: string[] = [];
  const server = createServer((request, response) => {
    requests.push(`${request.method} ${request.url}`);
    return answer(request, response);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const baseUrl = `${origin}/v1`;
  const petstore = createPetstore({ baseUrl, apiKey: KEY, retry: { baseDelay: 1 }, onDeprecated: false, ...options });
  return {
    petstore,
    origin,
    baseUrl,
    requests,
    [Symbol.asyncDispose]: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, "close");
    },
  };
}
