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
  return [
    ...entry.parameters.flatMap((parameter) => parameterInputs(document, parameter)),
    ...unknownParameter(document, entry.parameters),
    ...bodyInputs(document, entry),
  ];
}

function parameterInputs(document: OpenApiDocument, parameter: ParameterObject): NegativeInput[] {
  const { name, in: where, required } = parameter;
  const schema = effectiveSchema(document, parameter.schema);
  const input = (title: string, ...values: unknown[]): NegativeInput => ({
    title: `${where} parameter ${name} ${title}`,
    apply: (request) => setParameter(request, parameter, ...values),
  });
  const isScalar = isText(document, parameter);
  const inputs = isScalar ? invalidTexts(document, parameter).map(({ title, value }) => input(title, value)) : [];
  if (required === true && where !== "path" && schema["default"] === undefined) inputs.push(input("missing"));
  if (where !== "query" || !isScalar) return inputs;
  const twice = (request: ExampleRequest) => {
    const value = exampleParameter(document, parameter);
    setParameter(request, parameter, value, value);
  };
  return [...inputs, { ...input("given twice"), apply: twice }];
}

/**
 * Returns the texts that are surely invalid. A schema of no type or several types accepts texts of many kinds, so only
 * its enum is used.
 */
function invalidTexts(document: OpenApiDocument, parameter: ParameterObject): { title: string; value: unknown }[] {
  const schema = effectiveSchema(document, parameter.schema);
  const [type, ...others] = typesOf(schema);
  const isSingle = type !== undefined && others.length === 0;
  return invalidValues(document, schema).filter(({ title, value }) => {
    if (!isSingle) return title === "not in the enum";
    return (type !== "string" || typeof value === "string") && canCarry(parameter, String(value));
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

function canCarry(parameter: ParameterObject & { allowEmptyValue?: boolean }, text: string): boolean {
  const { in: where, allowEmptyValue } = parameter;
  if (where === "header" || where === "cookie") return /^[\x21-\x7e]*$/.test(text);
  return where !== "querystring" && (text !== "" || (where === "query" && allowEmptyValue !== true));
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
  for (const name of requiredOf(document, schema)) {
    if (effectiveSchema(document, fields[name])["default"] !== undefined) continue;
    const without = (value: unknown) => {
      const { [name]: _, ...others } = value as Record<string, unknown>;
      return isForm(essence) && Object.keys(others).length === 0 ? { noSuchField: 1 } : others; // a form has a field
    };
    inputs.push(body(`without the field ${name}`, without));
  }
  const withField = (name: string, field: unknown) => (value: unknown) => ({
    ...(isRecord(value) && value),
    [name]: field,
  });
  const isClosed = schema["additionalProperties"] === false || schema["unevaluatedProperties"] === false;
  if (isClosed && schema["patternProperties"] === undefined)
    inputs.push(body("with an unknown field", withField("noSuchField", 1)));
  if (!isJson(essence)) return inputs;

  inputs.push(body("that is not JSON", () => NOT_JSON));
  for (const { title, value } of invalidValues(document, schema)) inputs.push(body(title, () => value));
  for (const [name, node] of Object.entries(fields)) {
    if (isReadOnly(document, node)) continue;
    for (const { title, value } of invalidValues(document, effectiveSchema(document, node)))
      inputs.push(body(`with the field ${name} ${title}`, withField(name, value)));
  }
  return inputs;
}
