import {
  type OpenApiDocument,
  type OperationEntry,
  type ParameterObject,
  isJson,
  effectiveSchema,
  isReadOnly,
  isRecord,
  propertiesOf,
  requiredOf,
  typesOf,
} from "openapi-document";
import { type ExampleRequest, exampleParameter } from "./example-request.ts";
import { isExplodedObject } from "../request/pairs.ts";
import { invalidValues } from "./invalid-values.ts";
import { setParameter } from "../example/parameter-style.ts";
import { declaredBody, isForm, NOT_JSON } from "./request-body.ts";

/** One change that makes a valid request invalid. */
interface NegativeInput {
  title: string;
  apply: (request: ExampleRequest) => void;
}

/**
 * Returns obvious invalid inputs of an operation: missing, wrong type, out of bounds, not in the enum, unknown,
 * repeated.
 */
export function negativeInputs(document: OpenApiDocument, entry: OperationEntry): NegativeInput[] {
  const parameters = entry.parameters;
  return [
    ...parameters.flatMap((parameter) => parameterInputs(document, parameter)),
    ...unknownParameter(document, parameters),
    ...bodyInputs(document, entry),
  ];
}

function parameterInputs(document: OpenApiDocument, parameter: ParameterObject): NegativeInput[] {
  const { name, in: where } = parameter;
  const schema = effectiveSchema(document, parameter.schema);
  const inputs = invalidTexts(document, parameter).map(({ title, value }) => ({
    title: `${where} parameter ${name} ${title}`,
    apply: (request: ExampleRequest) => setParameter(request, parameter, value),
  }));
  if (parameter.required === true && where !== "path" && schema["default"] === undefined) {
    inputs.push({ title: `${where} parameter ${name} missing`, apply: (request) => setParameter(request, parameter) });
  }
  if (where === "query" && isText(document, parameter)) {
    const twice = (request: ExampleRequest) => {
      const value = exampleParameter(document, parameter);
      setParameter(request, parameter, value, value);
    };
    inputs.push({ title: `query parameter ${name} given twice`, apply: twice });
  }
  return inputs;
}

/**
 * Returns the texts that are surely invalid. A schema of no type or several types accepts texts of many kinds, so only
 * its enum is used.
 */
function invalidTexts(document: OpenApiDocument, parameter: ParameterObject): { title: string; value: unknown }[] {
  if (!isText(document, parameter)) return [];
  const schema = effectiveSchema(document, parameter.schema);
  const [type, ...others] = typesOf(schema);
  const isSingle = type !== undefined && others.length === 0;
  return invalidValues(document, schema).filter(({ title, value }) => {
    if (!isSingle) return title === "not in the enum";
    if (type === "string" && typeof value !== "string") return false;
    return canCarry(parameter, String(value));
  });
}

/** Returns whether a parameter is a scalar text, and not a list, an object or a document. */
function isText(document: OpenApiDocument, { schema, content }: ParameterObject): boolean {
  if (content !== undefined) return false;
  const effective = effectiveSchema(document, schema);
  const types = typesOf(effective);
  if (types.length > 0) return !types.includes("array") && !types.includes("object");
  return ((effective["enum"] ?? [[]]) as unknown[]).every((value) => typeof value !== "object");
}

function canCarry(
  { in: where, allowEmptyValue }: ParameterObject & { allowEmptyValue?: boolean },
  text: string,
): boolean {
  switch (where) {
    case "path":
      return text !== "";
    case "querystring":
      return false;
    case "query":
      return text !== "" || allowEmptyValue !== true;
    case "header":
    case "cookie":
      return /^[\x21-\x7e]*$/.test(text);
  }
}

/**
 * Returns an unknown query parameter. If an object is exploded over the query, every name may be its field, so none is
 * unknown.
 */
function unknownParameter(document: OpenApiDocument, parameters: ParameterObject[]): NegativeInput[] {
  const isObject = ({ schema }: ParameterObject) => typesOf(effectiveSchema(document, schema)).includes("object");
  if (parameters.some((parameter) => isExplodedObject(document, parameter) && isObject(parameter))) return [];
  if (parameters.some((parameter) => parameter.in === "querystring")) return [];
  const sent = { of: "no-such-parameter", text: "no-such-parameter=1" };
  return [{ title: "unknown query parameter", apply: (request) => request.query.push(sent) }];
}

function bodyInputs(document: OpenApiDocument, entry: OperationEntry): NegativeInput[] {
  const declared = declaredBody(document, entry);
  if (declared === undefined) return [];
  const { schema, essence, isRequired } = declared;
  const body = (title: string, change: (value: unknown) => unknown): NegativeInput => ({
    title: `body ${title}`,
    apply: (request) => (request.body!.value = change(request.body!.value)),
  });
  const missing: NegativeInput = { title: "body missing", apply: (request) => delete request.body };
  const inputs = isRequired ? [missing] : [];
  if (!isJson(essence) && !isForm(essence)) return inputs;

  const fields = propertiesOf(schema);
  const withField = (value: unknown, name: string, field: unknown) => ({
    ...(isRecord(value) && value),
    [name]: field,
  });
  for (const name of requiredOf(document, schema)) {
    if (effectiveSchema(document, fields[name])["default"] !== undefined) continue;
    inputs.push(
      body(`without the field ${name}`, (value) => {
        const others = without(value, name);
        const isNoBody = isForm(essence) && Object.keys(others).length === 0;
        return isNoBody ? withField(others, "noSuchField", 1) : others;
      }),
    );
  }
  const isClosed = schema["additionalProperties"] === false || schema["unevaluatedProperties"] === false;
  if (isClosed && schema["patternProperties"] === undefined)
    inputs.push(body("with an unknown field", (value) => withField(value, "noSuchField", 1)));
  if (!isJson(essence)) return inputs;

  inputs.push(body("that is not JSON", () => NOT_JSON));
  for (const { title, value } of invalidValues(document, schema)) inputs.push(body(title, () => value));
  for (const [name, node] of Object.entries(fields)) {
    if (isReadOnly(document, node)) continue;
    for (const { title, value: invalid } of invalidValues(document, effectiveSchema(document, node))) {
      inputs.push(body(`with the field ${name} ${title}`, (value) => withField(value, name, invalid)));
    }
  }
  return inputs;
}

function without(value: unknown, name: string): object {
  return Object.fromEntries(Object.entries(value as object).filter(([key]) => key !== name));
}
