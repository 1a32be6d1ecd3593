import type { Storage } from "@openapi-operations/storage/storage";
import type { Request } from "express";

/** The header of the last write that a client has seen. A response to a write has it, and the client sends the greatest back. */
const HEADER = "Consistency-Token";

/** The methods of requests that change nothing (RFC 9110, section 9.2.1) and have a handler. */
const SAFE = new Set(["GET", "HEAD", "QUERY"]);

/**
 * Returns the storage for the handlers of each request. With replicas, requests of safe methods read from one of them, which has
 * replayed what was committed a second ago, and the write whose `Consistency-Token` the client sends. All others read from the
 * primary, as does a request that has written.
 */
export function storageOfRequests<Tables>(
  storage: Storage<Tables>,
): Storage<Tables> | ((request: Request) => Storage<Tables>) {
  const { replicas } = storage;
  if (replicas === undefined) return storage;
  return ({ method, headers, res }) => {
    const token = headers[HEADER.toLowerCase()] as string | undefined; // Node joins several to one that no replica reaches
    const replica = SAFE.has(method) ? replicas.find(token) : undefined;
    const own: Storage<Tables> = {
      ...storage,
      db: replica ?? storage.db,
      write: (work, isSuccess) => {
        own.db = storage.db;
        return storage.write(work, isSuccess, (written) => res!.setHeader(HEADER, written));
      },
    };
    return own;
  };
}
