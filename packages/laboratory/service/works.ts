import { generateApiKey } from "@openapi-operations/api-keys/api-key";
import type { Slice } from "../measuring/load.ts";

/** A kind of request, and the expected status. */
export interface Work {
  method: "GET" | "POST";
  path: string;
  body?: object;
  status: number;
  /** An API key in place of the valid one. */
  key?: string;
  /** May contain `{number}`, for the load generator to fill in. */
  idempotencyKey?: string;
}

const unknownKey = generateApiKey("production");

/** The six compared kinds of requests. */
export const WORKS = {
  "list 20": { method: "GET", path: "/v1/pets", status: 200 },
  "list 100": { method: "GET", path: "/v1/pets?limit=100", status: 200 },
  "get by id": { method: "GET", path: "/v1/pets/5000", status: 200 },
  create: { method: "POST", path: "/v1/pets", body: { name: "Rex", categoryId: 1 }, status: 201 },
  "refuse with 400": { method: "GET", path: "/v1/pets?limit=101", status: 400 },
  "refuse with 401": { method: "GET", path: "/v1/pets", status: 401, key: unknownKey },
} satisfies Record<string, Work>;

const { "list 20": list, "get by id": get, create } = WORKS;

/** A creation with a new `Idempotency-Key` each time. */
export const KEYED_CREATION: Work = { ...create, idempotencyKey: "{number}" };

/** Nine reads per creation. */
export const MIXED: Work[] = [list, get, list, get, list, create, get, list, get, list];

export type WorkName = keyof typeof WORKS;

/** Returns a request as HTTP/1.1 text. */
export function requestText({ method, path, body, key: own, idempotencyKey }: Work, key: string): string {
  const json = body === undefined ? "" : JSON.stringify(body);
  const content =
    body === undefined ? "" : `Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(json)}\r\n`;
  const keyed = idempotencyKey === undefined ? "" : `Idempotency-Key: ${idempotencyKey}\r\n`;
  const headers = `Host: 127.0.0.1\r\nAuthorization: Bearer ${own ?? key}\r\n${keyed}${content}`;
  return `${method} ${path} HTTP/1.1\r\n${headers}\r\n${json}`;
}

/** Returns the requests of works as the load generator takes them. */
export function requestsOf(works: Work[], key: string): Slice["requests"] {
  return works.map((work) => ({ text: requestText(work, key), status: work.status }));
}
