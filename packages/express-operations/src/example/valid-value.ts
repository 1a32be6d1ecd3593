import type { OpenApiDocument, Schema } from "openapi-document";
import { type FindFault, validValue as foundValue } from "openapi-document/example";
import { responseCheck } from "../response/response-check.ts";
import { textMatching } from "./example-text.ts";

/**
 * Resolves to a value of a schema for a response, with its optional fields. The value is valid: express-openapi-validator has
 * validated it, as it does responses. Rejects with the place of the fault if no valid value is found.
 */
export async function validValue(
  document: OpenApiDocument,
  node: Schema,
  where: string,
  options: { random?: (() => number) | undefined; given?: object | undefined } = {},
): Promise<unknown> {
  return foundValue(document, node, where, faultFinder(document, node), { ...options, textMatching });
}

const finders = new WeakMap<object, WeakMap<object, FindFault>>();

/** Returns the validation of a schema's values, which is compiled once. */
function faultFinder(document: OpenApiDocument, node: Schema): FindFault {
  const known = finders.get(document) ?? new WeakMap<object, FindFault>();
  finders.set(document, known);
  const key = typeof node === "object" ? node : {};
  const finder = known.get(key) ?? compiled(document, node);
  known.set(key, finder);
  return finder;
}

function compiled(document: OpenApiDocument, schema: Schema): FindFault {
  const contentType = "application/json";
  const responses = { 200: { description: "", content: { [contentType]: { schema } } } };
  const entry = { id: "value", method: "get", path: "/", operation: { responses }, parameters: [] };
  const { response } = responseCheck(document, entry);
  return (body) => {
    const [innermost] = response({ status: 200, contentType, body }).toSorted(
      (one, other) => other.pointer.split("/").length - one.pointer.split("/").length,
    );
    return innermost && { pointer: innermost.pointer.replace(/^\/body/, ""), message: innermost.message };
  };
}
