import { hash } from "node:crypto";
import type { Pet, PetStatus } from "@petstore/contract";
import { encodeCursor } from "@platform/service/page";

/** The database a peer works on: a SQLite file in WAL mode, whose writes are synced as it says. */
export interface PeerDatabase {
  path: string;
  synchronous: "full" | "normal";
}

/** Starts a server on a free port of 127.0.0.1, and says which. */
export type StartPeer = (database: PeerDatabase) => Promise<number>;

/** What a list is asked for. */
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

/** The row of an API key, as `SQL.key` gives it. */
export interface KeyRow {
  id: number;
  scopes: string;
}

/** What `SQL.key` is asked with: every stack keeps the SHA-256 of keys alone. */
export function keyParameters(token: string): [hash: string, now: number] {
  return [hash("sha256", token), Date.now()];
}

/** The bearer token of an Authorization header. */
export function bearerToken(authorization: string | undefined): string | undefined {
  return /^bearer +(.*)$/i.exec(authorization ?? "")?.[1];
}

/** The `Link` to the page after this one. */
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

/** The body of a 400. */
export function invalidRequest(message: string) {
  return { code: "invalid_request", message, status: 400 };
}
