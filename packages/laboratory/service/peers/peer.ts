import { hash } from "node:crypto";
import type { Pet, PetStatus } from "@petstore/contract";
import { encodeCursor } from "@platform/service/page";

/** The database of a peer: a SQLite file in WAL mode, and when its writes are synced. */
export interface PeerDatabase {
  path: string;
  synchronous: "full" | "normal";
}

/** Starts a server on a free port of 127.0.0.1 and resolves with the port. */
export type StartPeer = (database: PeerDatabase) => Promise<number>;

/** The query parameters of a list. */
export interface ListQuery {
  limit: number;
  status?: PetStatus | undefined;
  cursor?: string | undefined;
}

/** The statements of every peer that writes its SQL by hand. */
export const SQL = {
  list: "select id, name, category_id as categoryId, status from pets where id > ? order by id limit ?",
  listByStatus:
    "select id, name, category_id as categoryId, status from pets where status = ? and id > ? order by id limit ?",
  find: "select id, name, category_id as categoryId, status from pets where id = ?",
  insert: "insert into pets (name, category_id, status) values (?, ?, ?)",
  key: "select id, scopes from api_keys where hash = ? and revoked_at is null and (expires_at is null or expires_at > ?)",
};

/** The row of an API key, as `SQL.key` returns it. */
export interface KeyRow {
  id: number;
  scopes: string;
}

/** Returns the parameters of `SQL.key`. Every stack stores only the SHA-256 of keys. */
export function keyParameters(token: string): [hash: string, now: number] {
  return [hash("sha256", token), Date.now()];
}

/** Returns the bearer token of an Authorization header. */
export function bearerToken(authorization: string | undefined): string | undefined {
  return /^bearer +(.*)$/i.exec(authorization ?? "")?.[1];
}

/** Returns the `Link` header to the next page. */
export function nextLink({ limit, status }: ListQuery, last: Pet): string {
  const next = new URLSearchParams({ limit: String(limit), ...(status && { status }), cursor: encodeCursor(last.id) });
  return `</v1/pets?${next.toString()}>; rel="next"`;
}

export const UNAUTHORIZED = {
  code: "unauthorized",
  message: "A valid API key is required, sent as: Authorization: Bearer <API_KEY>.",
  status: 401,
};

export const FORBIDDEN = {
  code: "forbidden",
  message: "The API key lacks the scope this operation needs.",
  status: 403,
};

export const NOT_FOUND = { code: "not_found", message: "There is no animal with this id.", status: 404 };

/** Returns the body of a 400 response. */
export function invalidRequest(message: string) {
  return { code: "invalid_request", message, status: 400 };
}
