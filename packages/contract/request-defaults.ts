import type { OpenAPI3, PathItemObject } from "openapi-typescript";

/** The fields of a Path Item that hold an operation: https://spec.openapis.org/oas/v3.1.1.html#path-item-object */
export const METHODS = ["get", "put", "post", "delete", "options", "head", "patch", "trace"] as const;

/** What these hold is data, in which nothing is a schema. */
const DATA = new Set(["const", "default", "enum", "example", "examples"]);

/** The fields of a Parameter or a Schema that matter here. */
interface Described {
  $ref?: string;
  in?: unknown;
  schema?: { default?: unknown };
  properties?: Record<string, { default?: unknown }>;
  required?: string[];
}

/**
 * The contract as a handler meets it: validation has filled in the defaults of parameters and of request bodies, so what
 * has one is always there. Responses stay as they are, except where they use a component schema that requests use too:
 * it has one type for both, and a handler that answers with it has to write out the fields that have a default. That
 * asks a little more of us, who fill in every response, and changes nothing for clients, whose types are not these.
 */
export function withRequestDefaultsRequired(document: OpenAPI3): OpenAPI3 {
  const copy = structuredClone(document);
  const visited = new Set<unknown>();
  for (const pathItem of Object.values(copy.paths ?? {})) {
    const item = resolve(copy, pathItem) as PathItemObject;
    for (const method of METHODS) {
      const { parameters, requestBody } = (item[method] ?? {}) as PathItemObject & { requestBody?: unknown };
      requireDefaults([item.parameters, parameters, requestBody], copy, visited);
    }
  }
  return copy;
}

/** Makes what has a default required, in a node and in all that it holds or refers to. */
function requireDefaults(node: unknown, document: OpenAPI3, visited: Set<unknown>): void {
  if (typeof node !== "object" || node === null || visited.has(node)) return;
  visited.add(node);
  if (Array.isArray(node)) {
    for (const member of node) requireDefaults(member, document, visited);
    return;
  }
  const { $ref, in: place, schema, properties = {}, required = [] } = node as Described;
  const defaulted = Object.keys(properties).filter((name) => properties[name]?.default !== undefined);
  if (typeof place === "string" && schema?.default !== undefined) Object.assign(node, { required: true });
  if (defaulted.length > 0) Object.assign(node, { required: [...new Set([...required, ...defaulted])] });

  if ($ref !== undefined) requireDefaults(resolve(document, node), document, visited);
  for (const property of Object.values(properties)) requireDefaults(property, document, visited);
  for (const [key, value] of Object.entries(node)) {
    if (key !== "properties" && !DATA.has(key)) requireDefaults(value, document, visited);
  }
}

/** What a node is or refers to, within this document (RFC 6901): bundling has brought in all that lies outside. */
function resolve(document: OpenAPI3, node: object): unknown {
  if (!("$ref" in node)) return node;
  const pointer = decodeURIComponent(String(node.$ref)).split("/").slice(1);
  const names = pointer.map((name) => name.replaceAll("~1", "/").replaceAll("~0", "~"));
  return names.reduce((part: unknown, name) => (part as Record<string, unknown> | undefined)?.[name], document);
}
