import { dataOf, exchange } from "./call.ts";
import type { Connection } from "./connection.ts";
import { fingerprints, type PublishedDocument, sha256 } from "./fingerprint.ts";
import { hash, version } from "./generated/metadata.ts";
import { operationFingerprints } from "./generated/fingerprints.ts";
import type { Operation } from "./operation.ts";
import type { CallOptions } from "./options.ts";
import { unreadable } from "./outcome.ts";
import { PetstoreError } from "./petstore-error.ts";

/** How the contract of this client and the one that the service publishes differ, by operationId. */
export interface ContractCheck {
  /** Whether no operation was changed or removed; those that were added, and prose, do not concern this client. */
  compatible: boolean;
  changed: string[];
  removed: string[];
  added: string[];
  client: Contract;
  server: Contract;
}

/** Which contract it is. */
export interface Contract {
  /** Its `info.version`. */
  version: string;
  /** The SHA-256 of the document, in hexadecimal. */
  hash: string;
}

const DOCUMENT: Operation = {
  id: "checkContract",
  method: "GET",
  path: "/openapi.json",
  parameters: {},
  success: [200],
  isRepeatable: true,
};

/** Fetches `openapi.json`, which lies beside the version of the base URL (`/v1`), without the key, and compares all but `servers`. */
export async function checkContract(connection: Connection, options?: CallOptions): Promise<ContractCheck> {
  const url = new URL("../openapi.json", `${connection.baseUrl}/`);
  const exchanged = await exchange(connection, DOCUMENT, { url, headers: { Authorization: null } }, options);
  const document = dataOf(DOCUMENT, exchanged);
  const isNone = () =>
    new PetstoreError(DOCUMENT, url.href, unreadable("is not an OpenAPI document", exchanged.outcome.response!));
  if (!isDocument(document)) throw isNone();
  const { servers: _, ...elsewhere } = document;
  const ours: Record<string, string> = operationFingerprints;
  const theirs = await fingerprints(document).catch(() => {
    throw isNone();
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
    server: { version: document.info.version, hash: await sha256(`${JSON.stringify(elsewhere, null, 2)}\n`) },
  };
}

function isDocument(value: unknown): value is PublishedDocument {
  const { info, paths } = (value ?? {}) as Partial<PublishedDocument>;
  return typeof info?.version === "string" && typeof paths === "object" && paths !== null;
}
