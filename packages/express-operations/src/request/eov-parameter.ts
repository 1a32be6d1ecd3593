import { type OpenApiDocument, type ParameterObject, resolve, type Schema } from "../document/document.ts";
import { nonNullTypesOf } from "../document/effective-schema.ts";
import { cookieHeader } from "./parameters.ts";
import { fieldsOf, isExplodedObject } from "./query.ts";

/**
 * Returns an equivalent parameter that express-openapi-validator (EOV) handles correctly. The set of valid values is
 * the same.
 */
export function parameterForEov(document: OpenApiDocument, parameter: ParameterObject): ParameterObject {
  return parameter.in === "query" ? withReadableSchema(document, parameter) : withStyle(parameter);
}

/** Declares a cookie as a header, because EOV coerces headers in place but only a copy of the cookies. */
function withStyle(parameter: ParameterObject): ParameterObject {
  const style = parameter.in === "cookie" ? "simple" : (parameter.style ?? "simple");
  const shown = { ...parameter, style, explode: parameter.in === "cookie" ? false : (parameter.explode ?? false) };
  return parameter.in === "cookie" ? { ...shown, in: "header", name: cookieHeader(parameter.name) } : shown;
}

const COMBINING = ["allOf", "oneOf", "anyOf"];

/**
 * Rewrites combined schemas that EOV misreads. EOV treats a reference in them as an object, and would parse text as
 * JSON. In an object EOV finds only fields that a member names directly. EOV fails on a member that is an object
 * without fields.
 */
function withReadableSchema(document: OpenApiDocument, parameter: ParameterObject): ParameterObject {
  const schema = resolve<Schema>(document, parameter.schema ?? {});
  if (COMBINING.every((keyword) => schema[keyword] === undefined)) return parameter;
  const types = nonNullTypesOf(document, schema);
  if (isExplodedObject(document, parameter)) {
    const fields = fieldsOf(document, schema);
    return fields.length > 0 || types.has("object") ? { ...parameter, schema: withFields(schema, fields) } : parameter;
  }
  const isScalar = types.size > 0 && !types.has("array") && !types.has("object");
  return isScalar ? { ...parameter, schema: withoutReferences(document, schema) } : parameter;
}

/** Repeats the names of fields in a member of `anyOf`, where EOV finds them. Another member accepts any value. */
function withFields(schema: Schema, fields: string[]): Schema {
  const named = { type: "object", properties: Object.fromEntries(fields.map((name) => [name, {}])) };
  return { allOf: [{ allOf: [schema] }], anyOf: [named, {}], default: schema["default"] };
}

/** Replaces each reference by its target, combined with the keywords beside the reference. */
function withoutReferences(document: OpenApiDocument, node: Schema): Schema {
  if (typeof node !== "object") return node; // `true` and `false` (JSON Schema 2020-12)
  const { $ref, ...own } = node;
  for (const keyword of COMBINING) {
    const members = own[keyword] as Schema[] | undefined;
    if (members !== undefined) own[keyword] = members.map((member) => withoutReferences(document, member));
  }
  return $ref === undefined ? own : { allOf: [withoutReferences(document, resolve<Schema>(document, { $ref })), own] };
}
