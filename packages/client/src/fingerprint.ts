import { type OpenApiDocument, operationsOf, pointer } from "./generated/openapi.ts";

/** The document that a service publishes. */
export interface PublishedDocument extends OpenApiDocument {
  info: { version: string };
  servers?: unknown;
}

/** What people read and programs do not. */
const PROSE = new Set(["description", "summary", "example", "examples", "externalDocs", "tags"]);

/** Fields that hold names of the contract's own choice, none of which is prose. */
const MAPS = new Set(["properties", "patternProperties", "$defs", "responses", "headers", "content"]);

/**
 * A digest for each operation of a document, by its operationId: of its method, path, parameters, body and responses with
 * all that they refer to, whatever the order of fields, and without prose and examples. Rejects when a reference leads nowhere.
 */
export async function fingerprints(document: OpenApiDocument): Promise<Record<string, string>> {
  const entries = operationsOf(document).map(async ({ id, method, path, operation, parameters }) => {
    const text = JSON.stringify(canonical([method, path, { ...operation, parameters }], document, []));
    return [id, (await sha256(text)).slice(0, 16)] as const;
  });
  return Object.fromEntries(await Promise.all(entries));
}

/** SHA-256 in hexadecimal. */
export async function sha256(text: string): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** A value with its references resolved and its fields in order. `open` are the references it stands in: one of these stays a name. */
function canonical(value: unknown, document: OpenApiDocument, open: string[], isMap = false): unknown {
  if (Array.isArray(value)) return value.map((member) => canonical(member, document, open));
  if (typeof value !== "object" || value === null) return value;
  const { $ref, ...rest } = value as Record<string, unknown>;
  const fields = Object.entries(rest)
    .filter(([name]) => isMap || !PROSE.has(name))
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, field]) => [name, canonical(field, document, open, !isMap && MAPS.has(name))]);
  if (typeof $ref !== "string") return Object.fromEntries(fields);
  const target = open.includes($ref) ? $ref : canonical(pointer(document, $ref), document, [...open, $ref]);
  return [target, Object.fromEntries(fields)];
}
