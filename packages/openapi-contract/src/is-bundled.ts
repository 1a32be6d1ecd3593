import { HOLDS_SCHEMAS, IS_MAP, isRecord, type OpenApiDocument, resolve } from "openapi-document";

/** Keywords whose value, or each item of it, is an object or a reference to one. */
const REFERRING = new Set([...HOLDS_SCHEMAS, "contentSchema", "itemSchema", "parameters", "requestBody", "schema"]);

/**
 * Returns whether a document is one that Redocly's bundler leaves as it is: each `$ref` leads to a part of the document, and none is
 * in a value that the bundler writes out, such as an example or a description. Returns false where this is not certain.
 */
export function isBundled(document: OpenApiDocument): boolean {
  const { openapi } = document as { openapi?: unknown };
  if (typeof openapi !== "string" || !/^3\.[012]\./.test(openapi)) return false;
  const { schemas = {} } = (document.components ?? {}) as { schemas?: Record<string, unknown> };
  const found = new Set<string>();
  const leads = (reference: string): boolean => {
    if (found.has(reference)) return true;
    try {
      resolve(document, { $ref: reference });
      found.add(reference);
      return true;
    } catch {
      return false;
    }
  };

  const isLocal = (node: unknown, mayRefer: boolean): boolean => {
    if (Array.isArray(node)) return node.every((item) => isLocal(item, mayRefer));
    return !isRecord(node) || Object.entries(node).every(([key, value]) => isLocalField(key, value, mayRefer));
  };
  const isLocalField = (key: string, value: unknown, mayRefer: boolean): boolean => {
    if (key === "$ref" && typeof value === "string") return mayRefer && leads(value);
    if (key === "externalValue") return false;
    if (key.startsWith("x-") && key !== "x-webhooks") return !refers(value, 2); // only such references are replaced
    if (key === "discriminator") return namesSchemas(value);
    if (key === "example") return isValue(value);
    if (key === "examples") return Object.values(value ?? {}).every(isExample);
    if (IS_MAP.has(key) && isRecord(value)) return typeof value["$ref"] !== "string" && isLocalMap(value);
    return isLocal(value, REFERRING.has(key));
  };
  const isLocalMap = (map: object): boolean => Object.values(map).every((value) => isLocal(value, true));
  const isExample = (example: unknown): boolean => {
    if (typeof example !== "object" || example === null) return true;
    const { $ref } = example as { $ref?: unknown };
    if (typeof $ref === "string") return $ref.startsWith("#/components/examples/") && leads($ref);
    return !("externalValue" in example) && Object.values(example).every(isValue);
  };
  const isValue = (value: unknown): boolean => {
    if (typeof value !== "object" || value === null) return true;
    const { $ref, ...others } = value as Record<string, unknown>;
    if (typeof $ref !== "string") return Object.values(value).every(isValue);
    return Object.keys(others).length === 0 && leads($ref); // `inlineExamples` replaces it
  };
  const namesSchemas = (discriminator: unknown): boolean => {
    const { mapping, defaultMapping = "" } = (discriminator ?? {}) as { mapping?: object; defaultMapping?: unknown };
    return [...Object.values(mapping ?? {}), defaultMapping].every(namesSchema);
  };
  const namesSchema = (target: unknown): boolean => {
    const [, name = ""] = /^#\/components\/schemas\/([\w.-]+)$/.exec(String(target)) ?? [];
    const schema = schemas[name];
    return /^[\w-]*$/.test(String(target)) || (isRecord(schema) && schema["$ref"] === undefined); // an alias is replaced
  };
  return isLocal(document, false);
}

/** Returns whether a value has a reference in it, at most so many levels below. */
export function refers(value: unknown, depth = Infinity): boolean {
  if (typeof value !== "object" || value === null) return false;
  return "$ref" in value || (depth > 0 && Object.values(value).some((part) => refers(part, depth - 1)));
}
