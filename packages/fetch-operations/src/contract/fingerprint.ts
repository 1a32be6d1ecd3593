import { type OpenApiDocument, operationsOf, pointer, withLocalReferences } from "openapi-document";

/** The OpenAPI document that a service publishes. */
export interface PublishedDocument extends OpenApiDocument {
  info: { version: string };
  servers?: unknown;
}

/** Fields that do not change how programs use an operation. */
const PROSE = new Set(["description", "summary", "example", "examples", "externalDocs", "tags"]);

/** Fields whose keys are names that the contract's author chose. A property may be named `description`, for example. */
const MAPS = new Set(["properties", "patternProperties", "$defs", "responses", "headers", "content"]);

/** The text of a value with its references left out, and the references: one between each two parts of the text. */
interface Template {
  parts: string[];
  references: string[];
}

/**
 * Returns a digest of each operation, by operationId. It covers method, path, parameters, body, responses and all schemas
 * they refer to. It ignores the order of fields, prose, examples and the names of schemas. Rejects if a reference has no target.
 */
export async function fingerprints(given: OpenApiDocument): Promise<Record<string, string>> {
  const document = withLocalReferences(given);
  const templates = new Map<string, Template>();
  const targetOf = (reference: string): Template => {
    const template = templates.get(reference) ?? templateOf(pointer(document, reference));
    templates.set(reference, template);
    return template;
  };
  const digests: [id: string, digest: string][] = [];
  for (const { id, method, path, operation, parameters } of operationsOf(document)) {
    const text = textOf(templateOf([method, path, { ...operation, parameters }]), targetOf);
    // One text at a time: those of a large document need gigabytes together.
    digests.push([id, (await sha256(text)).slice(0, 16)]);
  }
  return Object.fromEntries(digests);
}

/** Returns the SHA-256 of a document without its `servers`, in hexadecimal. */
export async function hashOf(document: OpenApiDocument & { servers?: unknown }): Promise<string> {
  const { servers: _, ...content } = document;
  return sha256(`${JSON.stringify(content, null, 2)}\n`);
}

async function sha256(text: string): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** Returns the text of a value and of each target that it refers to, directly or not. Each target is there once, with a number. */
function textOf(template: Template, targetOf: (reference: string) => Template): string {
  const numbers = new Map<string, number>();
  const queue = [template];
  let text = "";
  for (const { parts, references } of queue) {
    for (const [at, part] of parts.entries()) {
      text += part;
      const reference = references[at];
      if (reference === undefined) continue;
      if (!numbers.has(reference)) {
        numbers.set(reference, numbers.size);
        queue.push(targetOf(reference));
      }
      text += `#${numbers.get(reference)}`;
    }
    text += "\n";
  }
  return text;
}

/** Stands for a reference in the value of a template. Other texts have two of this character in place of one. */
const REFERENCE = "\0";
const escaped = (text: string): string => text.replaceAll("\0", "\0\0");

function templateOf(value: unknown): Template {
  const references: string[] = [];
  const parts = (JSON.stringify(canonical(value, references)) ?? "").split(JSON.stringify(REFERENCE));
  return { parts, references };
}

/** Sorts the fields of a value, and moves its references to a list. */
function canonical(value: unknown, references: string[], isMap = false): unknown {
  if (Array.isArray(value)) return value.map((member) => canonical(member, references));
  if (typeof value === "string") return escaped(value);
  if (typeof value !== "object" || value === null) return value;
  const { $ref, ...rest } = value as Record<string, unknown>;
  if (typeof $ref === "string") references.push($ref);
  const fields = Object.entries(rest)
    .filter(([name]) => isMap || !PROSE.has(name))
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, field]) => [escaped(name), canonical(field, references, !isMap && MAPS.has(name))]);
  return typeof $ref === "string" ? [REFERENCE, Object.fromEntries(fields)] : Object.fromEntries(fields);
}
