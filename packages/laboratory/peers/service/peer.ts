import { hash } from "node:crypto";
import type { Pet, PetStatus } from "@petstore/contract";
import { decodeCursor, encodeCursor } from "@openapi-operations/service/page";
import Sqlite from "better-sqlite3";

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

const SQL = {
  list: "select id, name, category_id as categoryId, status from pets where id > ? order by id limit ?",
  listByStatus:
    "select id, name, category_id as categoryId, status from pets where status = ? and id > ? order by id limit ?",
  find: "select id, name, category_id as categoryId, status from pets where id = ?",
  insert: "insert into pets (name, category_id, status) values (?, ?, ?)",
  key: "select id, scopes from api_keys where hash = ? and revoked_at is null and (expires_at is null or expires_at > ?)",
};

/** Opens the file of a database, as a connection that reads or writes. */
export function openFile({ path, synchronous }: PeerDatabase): Sqlite.Database {
  const file = new Sqlite(path);
  file.pragma("journal_mode = wal");
  file.pragma(`synchronous = ${synchronous}`);
  return file;
}

/** The row of an API key. */
export interface KeyRow {
  id: number;
  scopes: string;
}

/** Prepares the statements of a peer that writes its SQL by hand. */
export function prepare(file: Sqlite.Database) {
  const key = file.prepare<[string, number], KeyRow>(SQL.key);
  const list = file.prepare<[number, number], Pet>(SQL.list);
  const listByStatus = file.prepare<[string, number, number], Pet>(SQL.listByStatus);
  const find = file.prepare<[number], Pet>(SQL.find);
  const insert = file.prepare<[string, number, string]>(SQL.insert);
  return {
    keyOf: (token: string): KeyRow | undefined => key.get(...keyParameters(token)),
    find: (id: number): Pet | undefined => find.get(id),
    insert: (pet: Omit<Pet, "id">): Pet => {
      return { id: Number(insert.run(pet.name, pet.categoryId, pet.status).lastInsertRowid), ...pet };
    },
    pageOf: (query: ListQuery): Page => {
      const { limit, status } = query;
      const after = startOf(query);
      return toPage(
        query,
        status === undefined ? list.all(after, limit + 1) : listByStatus.all(status, after, limit + 1),
      );
    },
  };
}

/** A page, and its `Link` header if another one follows. */
export interface Page {
  page: Pet[];
  link: string | undefined;
}

/** Returns the id after which a page begins. */
export function startOf({ cursor }: ListQuery): number {
  return cursor === undefined ? 0 : (decodeCursor(cursor) ?? 0);
}

/** Returns the page of the found animals, of which one more than its limit was asked for. */
export function toPage(query: ListQuery, found: Pet[]): Page {
  const page = found.slice(0, query.limit);
  return { page, link: found.length > page.length ? nextLink(query, page.at(-1)!) : undefined };
}

/** Returns the body of the refusal of a request with such a key, or undefined if the key suffices. */
export function refusalOf(method: string | undefined, key: KeyRow | undefined): typeof UNAUTHORIZED | undefined {
  if (key === undefined) return UNAUTHORIZED;
  return key.scopes.includes(method === "POST" ? "pets:write" : "pets:read") ? undefined : FORBIDDEN;
}

/** Returns the hash of an API key and the time. Every stack stores only the SHA-256 of keys. */
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

const FORBIDDEN = {
  code: "forbidden",
  message: "The API key lacks the scope this operation needs.",
  status: 403,
};

export const NOT_FOUND = { code: "not_found", message: "There is no animal with this id.", status: 404 };

/** Returns the body of a 400 response. */
export function invalidRequest(message: string) {
  return { code: "invalid_request", message, status: 400 };
}
