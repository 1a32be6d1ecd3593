import { dataOrThrow, sendWithRetries } from "./call.ts";
import type { Connection } from "./connection.ts";
import { fingerprints, type PublishedDocument, sha256 } from "./fingerprint.ts";
import { hash, version } from "./generated/metadata.ts";
import { operationFingerprints } from "./generated/fingerprints.ts";
import type { Operation } from "./operation.ts";
import type { CallOptions } from "./options.ts";
import { PetstoreError } from "./petstore-error.ts";
import { unreadableResponse } from "./untyped-result.ts";

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

const DOCUMENT: Operation = {
  id: "checkContract",
  method: "GET",
  path: "/openapi.json",
  parameters: {},
  success: [200],
  isRetryable: true,
};

/**
 * Fetches the service's `openapi.json` without the API key and compares it with the client's contract, except `servers`. The
 * file lies beside the version of the base URL: `/openapi.json` for `/v1`. Rejects with a `PetstoreError` if it cannot be read.
 */
export async function checkContract(connection: Connection, options?: CallOptions): Promise<ContractCheck> {
  const url = new URL("../openapi.json", `${connection.baseUrl}/`);
  const exchange = await sendWithRetries(connection, DOCUMENT, { url, headers: { Authorization: null } }, options);
  const document = dataOrThrow(DOCUMENT, exchange);
  const invalidDocument = () =>
    new PetstoreError(DOCUMENT, url.href, unreadableResponse("is not an OpenAPI document", exchange.result.response!));
  if (!isDocument(document)) throw invalidDocument();
  const { servers: _, ...content } = document;
  const ours: Record<string, string> = operationFingerprints;
  const theirs = await fingerprints(document).catch(() => {
    throw invalidDocument();
  });
  const ids = Object.keys(ours);
  const removed = ids.filter((id) => !(id in theirs));
  const changed = ids.filter((id) => id in theirs && theirs[id] !== ours[id]);
  return {
    compatible: removed.length + changed.length === 0,
    changed,
    removed,
    added: Object.keys(theirs).filter((id) => !(id in ours)),
    client: { version, hash },
    server: { version: document.info.version, hash: await sha256(`${JSON.stringify(content, null, 2)}\n`) },
  };
}

function isDocument(value: unknown): value is PublishedDocument {
  const { info, paths } = (value ?? {}) as Partial<PublishedDocument>;
  return typeof info?.version === "string" && typeof paths === "object" && paths !== null;
}
