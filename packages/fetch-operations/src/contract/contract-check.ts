import { errorOf, unreadableResult } from "../call/failure.ts";
import { dataOrThrow, send } from "../call/call.ts";
import type { Connection, ResponseExchange } from "../call/exchange.ts";
import type { OperationDescription } from "../operation.ts";
import type { CallOptions } from "../options.ts";
import { readText } from "../response/read-body.ts";
import { parseRounding } from "../parts/json.ts";
import { checkNull, parsed } from "../response/read-json.ts";
import { fingerprints, hashOf, type PublishedDocument } from "./fingerprint.ts";

/** The differences between the client's contract and the service's published contract, as operationIds. */
export interface ContractCheck {
  /** True if no operation was changed or removed. Added operations and changed prose are compatible. */
  compatible: boolean;
  changed: string[];
  /** Operations of the client that the service does not have. */
  removed: string[];
  /** Operations of the service that the client does not have. */
  added: string[];
  client: Contract;
  server: Contract;
}

/** The version and hash that identify a contract. */
export interface Contract {
  /** The `info.version` of the document. */
  version: string;
  /** The SHA-256 of the document without its `servers`, in hexadecimal. */
  hash: string;
}

const DOCUMENT: OperationDescription = {
  id: "checkContract",
  method: "GET",
  path: "",
  parameters: {},
  success: [200],
  isRetryable: true,
  security: [],
  read: readDocument,
};

/** Reads JSON. Large bounds, such as those of int64, are rounded as they were when the client was generated. */
async function readDocument(exchange: ResponseExchange): Promise<unknown> {
  const text = await readText(exchange);
  return checkNull(text && parsed(text, parseRounding), text, DOCUMENT);
}

/**
 * Fetches the contract that the service publishes, without credentials, and compares it with the client's, except `servers`.
 * `path` is relative to the base URL. Rejects with an `OperationError` if the contract cannot be read.
 */
export async function checkContract(
  connection: Connection,
  client: Contract,
  ours: Readonly<Record<string, string>>,
  path: string,
  options?: CallOptions,
): Promise<ContractCheck> {
  const { pathname, search, origin } = new URL(path, `${connection.baseUrl}/`);
  if (origin !== new URL(connection.baseUrl).origin)
    throw new TypeError(
      `The contract at ${path} does not have the origin of baseUrl. Set publishedContract to a path.`,
    );
  const atOrigin = { ...connection, baseUrlOf: () => origin };
  const exchange = await send(atOrigin, DOCUMENT, () => ({ target: pathname + search, headers: {} }), options);
  const document = dataOrThrow(exchange);
  const reject = (): never => {
    const result = unreadableResult(exchange, "is not an OpenAPI document", JSON.stringify(document));
    throw errorOf({ ...exchange, result });
  };
  if (!isDocument(document)) return reject();
  const theirs = await fingerprints(document).catch(reject);
  const ids = Object.keys(ours);
  const removed = ids.filter((id) => !Object.hasOwn(theirs, id));
  const changed = ids.filter((id) => Object.hasOwn(theirs, id) && theirs[id] !== ours[id]);
  return {
    compatible: removed.length + changed.length === 0,
    changed,
    removed,
    added: Object.keys(theirs).filter((id) => !Object.hasOwn(ours, id)),
    client,
    server: { version: document.info.version, hash: await hashOf(document) },
  };
}

function isDocument(value: unknown): value is PublishedDocument {
  const { info, paths } = (value ?? {}) as Partial<PublishedDocument>;
  return typeof info?.version === "string" && typeof paths === "object" && paths !== null;
}
