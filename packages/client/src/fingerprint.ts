/** An OpenAPI document, as far as comparing needs to know it. */
export interface OpenApiDocument {
  info: { version: string };
  servers?: unknown;
  paths: Record<string, Record<string, unknown>>;
  components?: { schemas?: object };
}

/** The fields of a Path Item that hold an operation. */
export const METHODS = ["get", "put", "post", "delete", "options", "head", "patch", "trace"];

/** What people read and programs do not. */
const PROSE = new Set(["description", "summary", "example", "examples", "externalDocs", "tags"]);

/** Fields that hold names of the contract's own choice, none of which is prose. */
const MAPS = new Set(["properties", "patternProperties", "$defs", "responses", "headers", "content"]);

/**
 * A digest for each operation of a document, by its operationId: of its method, path, parameters, body and responses with
 * all that they refer to, whatever the order of fields, and without prose and examples.
 */
export async function fingerprints(document: OpenApiDocument): Promise<Record<string, string>> {
  const entries: Promise<[string, string]>[] = [];
  for (const [path, item] of Object.entries(document.paths)) {
    for (const method of METHODS) {
      const operation = item[method] as { operationId?: string } | undefined;
      if (operation === undefined) continue;
      const text = JSON.stringify(canonical([method, path, item["parameters"], operation], document, []));
      const id = operation.operationId ?? `${method} ${path}`;
      entries.push(sha256(text).then((digest) => [id, digest.slice(0, 16)]));
    }
  }
  return Object.fromEntries(await Promise.all(entries));
}

/** SHA-256 in hexadecimal. */
export async function sha256(text: string): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** A value with its references resolved and its fields in order. `open` are the references it stands in: one of these stays a name. */
function canonical(value: unknown, document: object, open: string[], isMap = false): unknown {
  if (Array.isArray(value)) return value.map((member) => canonical(member, document, open));
  if (typeof value !== "object" || value === null) return value;
  const { $ref, ...rest } = value as Record<string, unknown>;
  const fields = Object.entries(rest)
    .filter(([name]) => isMap || !PROSE.has(name))
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, field]) => [name, canonical(field, document, open, !isMap && MAPS.has(name))]);
  if (typeof $ref !== "string") return Object.fromEntries(fields);
  const target = open.includes($ref) ? $ref : canonical(resolve(document, $ref), document, [...open, $ref]);
  return [target, Object.fromEntries(fields)];
}

/** What a reference within the document refers to (RFC 6901). */
export function resolve(document: object, reference: string): unknown {
  const names = decodeURIComponent(reference).split("/").slice(1);
  const unescaped = names.map((name) => name.replaceAll("~1", "/").replaceAll("~0", "~"));
  return unescaped.reduce((part: unknown, name) => (part as Record<string, unknown> | undefined)?.[name], document);
}
