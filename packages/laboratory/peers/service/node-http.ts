import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Pet, PetStatus } from "@petstore/contract";
import {
  bearerToken,
  invalidRequest,
  type ListQuery,
  NOT_FOUND,
  openFile,
  type PeerDatabase,
  prepare,
  refusalOf,
} from "./peer.ts";

const STATUSES = ["available", "pending", "sold"] satisfies PetStatus[];

/** Node's HTTP server with prepared statements: the least work per request, without logging. */
export async function start(database: PeerDatabase): Promise<number> {
  const { keyOf, find, insert, pageOf } = prepare(openFile(database));

  const server = createServer((request, response) => {
    const token = bearerToken(request.headers.authorization);
    const refusal = refusalOf(request.method, token === undefined ? undefined : keyOf(token));
    if (refusal !== undefined) return send(response, refusal.status, refusal);
    const { pathname, searchParams } = new URL(request.url ?? "/", "http://localhost");
    if (pathname === "/v1/pets" && request.method === "GET") return listPets(searchParams, response);
    if (pathname === "/v1/pets" && request.method === "POST") return void createPet(request, response);
    const id = /^\/v1\/pets\/(\d+)$/.exec(pathname)?.[1];
    const pet = id === undefined ? undefined : find(Number(id));
    return pet === undefined ? send(response, 404, NOT_FOUND) : send(response, 200, pet);
  });

  function listPets(parameters: URLSearchParams, response: ServerResponse): void {
    const query = queryOf(parameters);
    if (typeof query === "string") return send(response, 400, invalidRequest(query));
    const { page, link } = pageOf(query);
    send(response, 200, page, link === undefined ? {} : { Link: link });
  }

  async function createPet(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const pet = newPetOf(Buffer.concat(chunks).toString());
    if (typeof pet === "string") return send(response, 400, invalidRequest(pet));
    send(response, 201, insert(pet));
  }

  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  return (server.address() as AddressInfo).port;
}

function send(response: ServerResponse, status: number, body: object, headers: Record<string, string> = {}): void {
  const json = JSON.stringify(body);
  response
    .writeHead(status, { "Content-Type": "application/json", "Content-Length": Buffer.byteLength(json), ...headers })
    .end(json);
}

function queryOf(parameters: URLSearchParams): ListQuery | string {
  const limit = Number(parameters.get("limit") ?? 20);
  const status = parameters.get("status") ?? undefined;
  if (!Number.isInteger(limit)) return 'Query parameter "limit" must be integer.';
  if (limit < 1) return 'Query parameter "limit" must be >= 1.';
  if (limit > 100) return 'Query parameter "limit" must be <= 100.';
  if (status !== undefined && !isStatus(status)) {
    return 'Query parameter "status" must be equal to one of the allowed values: available, pending, sold.';
  }
  return { limit, status, cursor: parameters.get("cursor") ?? undefined };
}

function newPetOf(text: string): Omit<Pet, "id"> | string {
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    return "The request body is not valid JSON.";
  }
  const { name, categoryId, status = "available", ...others } = (body ?? {}) as Record<string, unknown>;
  if (typeof name !== "string" || name === "" || name.length > 255) return 'Body field "name" must be a name.';
  if (!Number.isSafeInteger(categoryId)) return 'Body field "categoryId" must be integer.';
  if (!isStatus(status)) return 'Body field "status" must be equal to one of the allowed values.';
  if (Object.keys(others).length > 0) return "A field in the request body is not known.";
  return { name, categoryId: categoryId as number, status };
}

function isStatus(value: unknown): value is PetStatus {
  return (STATUSES as unknown[]).includes(value);
}
