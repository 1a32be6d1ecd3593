import { type OpenApiDocument, type ParameterObject, resolve, type Schema } from "../document/document.ts";
import { nonNullTypesOf } from "../document/effective-schema.ts";
import { cookieHeader } from "./parameters.ts";
import { fieldsOf, isExplodedObject } from "./query.ts";

/** Returns a parameter as express-openapi-validator (EOV) has to be shown it. The values that are valid stay the same. */
export function parameterForEov(document: OpenApiDocument, parameter: ParameterObject): ParameterObject {
  return parameter.in === "query" ? withReadableSchema(document, parameter) : withStyle(parameter);
}

/** EOV coerces a copy of the cookies, and headers in place: so it is shown cookies as headers. */
function withStyle(parameter: ParameterObject): ParameterObject {
  const style = parameter.in === "cookie" ? "simple" : (parameter.style ?? "simple");
  const shown = { ...parameter, style, explode: parameter.in === "cookie" ? false : (parameter.explode ?? false) };
  return parameter.in === "cookie" ? { ...shown, in: "header", name: cookieHeader(parameter.name) } : shown;
}

const COMBINING = ["allOf", "oneOf", "anyOf"];

/**
 * Where schemas are combined, EOV takes a reference for an object, so it would read text as JSON. Of the fields of an object
 * it finds only those that a member names by itself, and it fails on a member that is an object and names none.
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

/** Names fields where EOV looks for them, in a member of `anyOf` that validates nothing. */
function withFields(schema: Schema, fields: string[]): Schema {
  const named = { type: "object", properties: Object.fromEntries(fields.map((name) => [name, {}])) };
  return { allOf: [{ allOf: [schema] }], anyOf: [named, {}], default: schema["default"] };
}

/** Puts schemas in the place of the references that lead to them, with what stands beside these. */
function withoutReferences(document: OpenApiDocument, node: Schema): Schema {
  if (typeof node !== "object") return node; // `true` and `false` (JSON Schema 2020-12)
  const { $ref, ...own } = node;
  for (const keyword of COMBINING) {
    const members = own[keyword] as Schema[] | undefined;
    if (members !== undefined) own[keyword] = members.map((member) => withoutReferences(document, member));
  }
  return $ref === undefined ? own : { allOf: [withoutReferences(document, resolve<Schema>(document, { $ref })), own] };
}
