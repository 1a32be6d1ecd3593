import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Pet, PetStatus } from "@petstore/contract";
import Sqlite from "better-sqlite3";
import { decodeCursor } from "@platform/service/page";
import {
  bearerToken,
  FORBIDDEN,
  invalidRequest,
  keyParameters,
  type KeyRow,
  type ListQuery,
  nextLink,
  NOT_FOUND,
  type PeerDatabase,
  SQL,
  UNAUTHORIZED,
} from "./peer.ts";

const STATUSES = ["available", "pending", "sold"] satisfies PetStatus[];

/** Node's HTTP server with prepared statements: the least work per request, without logging. */
export async function start({ path, synchronous }: PeerDatabase): Promise<number> {
  const db = new Sqlite(path);
  db.pragma("journal_mode = wal");
  db.pragma(`synchronous = ${synchronous}`);
  const findKey = db.prepare<[string, number], KeyRow>(SQL.key);
  const list = db.prepare<[number, number], Pet>(SQL.list);
  const listByStatus = db.prepare<[string, number, number], Pet>(SQL.listByStatus);
  const find = db.prepare<[number], Pet>(SQL.find);
  const insert = db.prepare<[string, number, string]>(SQL.insert);

  const server = createServer((request, response) => {
    const token = bearerToken(request.headers.authorization);
    const key = token === undefined ? undefined : findKey.get(...keyParameters(token));
    if (key === undefined) return send(response, 401, UNAUTHORIZED);
    if (!key.scopes.includes(request.method === "POST" ? "pets:write" : "pets:read")) {
      return send(response, 403, FORBIDDEN);
    }
    const { pathname, searchParams } = new URL(request.url ?? "/", "http://localhost");
    if (pathname === "/v1/pets" && request.method === "GET") return listPets(searchParams, response);
    if (pathname === "/v1/pets" && request.method === "POST") return void createPet(request, response);
    const id = /^\/v1\/pets\/(\d+)$/.exec(pathname)?.[1];
    const pet = id === undefined ? undefined : find.get(Number(id));
    return pet === undefined ? send(response, 404, NOT_FOUND) : send(response, 200, pet);
  });

  function listPets(parameters: URLSearchParams, response: ServerResponse): void {
    const query = queryOf(parameters);
    if (typeof query === "string") return send(response, 400, invalidRequest(query));
    const after = query.cursor === undefined ? 0 : (decodeCursor(query.cursor) ?? 0);
    const found =
      query.status === undefined
        ? list.all(after, query.limit + 1)
        : listByStatus.all(query.status, after, query.limit + 1);
    const page = found.slice(0, query.limit);
    const link = found.length > page.length ? { Link: nextLink(query, page.at(-1)!) } : {};
    send(response, 200, page, link);
  }

  async function createPet(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const pet = newPetOf(Buffer.concat(chunks).toString());
    if (typeof pet === "string") return send(response, 400, invalidRequest(pet));
    const id = Number(insert.run(pet.name, pet.categoryId, pet.status).lastInsertRowid);
    send(response, 201, { id, ...pet });
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
