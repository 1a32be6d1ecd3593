import { type OpenApiDocument, operationsOf, pointer } from "../generated/openapi.ts";

/** The OpenAPI document that a service publishes. */
export interface PublishedDocument extends OpenApiDocument {
  info: { version: string };
  servers?: unknown;
}

/** Fields that do not change how programs use an operation. */
const PROSE = new Set(["description", "summary", "example", "examples", "externalDocs", "tags"]);

/** Fields whose keys are names that the contract's author chose. A property may be named `description`, for example. */
const MAPS = new Set(["properties", "patternProperties", "$defs", "responses", "headers", "content"]);

/**
 * Returns a digest of each operation, by operationId. It covers method, path, parameters, body, responses and all schemas
 * they refer to. It ignores the order of fields, prose and examples. Rejects if a reference has no target.
 */
export async function fingerprints(document: OpenApiDocument): Promise<Record<string, string>> {
  const entries = operationsOf(document).map(async ({ id, method, path, operation, parameters }) => {
    const text = JSON.stringify(canonical([method, path, { ...operation, parameters }], document, []));
    return [id, (await sha256(text)).slice(0, 16)] as const;
  });
  return Object.fromEntries(await Promise.all(entries));
}

/** Returns the SHA-256 of a text, in hexadecimal. */
export async function sha256(text: string): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/**
 * Resolves the references of a value and sorts its fields. References in `open` are being resolved; they stay names, which
 * ends cycles.
 */
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
