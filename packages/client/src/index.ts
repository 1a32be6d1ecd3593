import type { paths } from "@petstore/contract";
import createClient, { type Client } from "openapi-fetch";

export type { Error, NewPet, Pet, Pets, PetStatus } from "@petstore/contract";

/** How to reach the service. */
export interface PetstoreClientOptions {
  /** Where the service is, with its version: `https://…/v1`. */
  baseUrl: string;
  /** The API key, sent as a bearer token with every request. */
  apiKey: string;
  /** The `fetch` to use. Default: the runtime's own. */
  fetch?: typeof globalThis.fetch;
}

/** One method for each HTTP method; paths, parameters, bodies and results are typed by the contract. */
export type PetstoreClient = Client<paths, "application/json">;

/**
 * A client of the petstore. Each call resolves to `{ data, error, response }` once an answer has arrived: branch on
 * `response.ok`. Outside 2xx `error` is what the body holds: an `Error` from the service itself, while an answer that
 * something in between makes may leave it empty, or a string such as a page of HTML, whatever its type says. Rejects with
 * what `fetch` throws when no answer arrives, and with a SyntaxError when an answer of 2xx is not JSON. Throws a TypeError
 * for options that cannot work.
 */
export function createPetstoreClient({ baseUrl, apiKey, fetch }: PetstoreClientOptions): PetstoreClient {
  if (typeof baseUrl !== "string" || !/^https?:/i.test(baseUrl) || !URL.canParse(baseUrl))
    throw new TypeError("baseUrl has to be an absolute URL such as https://api.petstore.example/v1.");
  if (typeof apiKey !== "string" || !/^[\x21-\x7e]+$/.test(apiKey))
    throw new TypeError("apiKey has to be the key as it was issued, without spaces or line breaks.");
  return createClient<paths, "application/json">({
    baseUrl,
    headers: { Authorization: `Bearer ${apiKey}` },
    ...(fetch && { fetch }),
  });
}
