import type { Storage } from "@openapi-operations/storage/storage";
import type { Request } from "express";

/** The header of the last write that a client has seen. A response to a write has it, and the client sends the greatest back. */
const HEADER = "Consistency-Token";

/** A token: the timeline of a primary, and a position in its log. */
const TOKEN = /^[\da-f]{24}$/;

/** The methods of requests that change nothing (RFC 9110, section 9.2.1) and have a handler. */
const SAFE = new Set(["GET", "HEAD", "QUERY"]);

/**
 * Returns the storage for the handlers of each request. With replicas, requests of safe methods read from one of them, which has
 * replayed what was committed a second ago, and the write whose `Consistency-Token` the client sends. All others read from the
 * primary, as does a request that has written, or that lasts longer than its replica keeps up.
 */
export function storageOfRequests<Tables>(
  storage: Storage<Tables>,
): Storage<Tables> | ((request: Request) => Storage<Tables>) {
  const { replicas } = storage;
  if (replicas === undefined) return storage;
  return ({ method, headers, res }) => {
    const token = headers[HEADER.toLowerCase()] as string | undefined; // Node joins several to one text, which is no token
    const mayBeRead = SAFE.has(method) && (token === undefined || TOKEN.test(token));
    let replica = mayBeRead ? replicas.find(token) : undefined;
    return {
      ...storage,
      get db() {
        if (replica !== undefined && !replicas.isFresh(replica)) replica = undefined;
        return replica ?? storage.db;
      },
      write: (work, isSuccess) => {
        replica = undefined;
        return storage.write(work, isSuccess, (written) => {
          if (!res!.headersSent) res!.setHeader(HEADER, written);
        });
      },
    };
  };
}
