import {
  type OpenApiDocument,
  type OperationEntry,
  type ParameterObject,
  type RequestBodyObject,
  resolve,
  type Schema,
} from "../document.ts";
import { type ExampleRequest, exampleText, place } from "./example-request.ts";

/** One thing about a valid request that makes it invalid. */
export interface NegativeInput {
  title: string;
  apply: (request: ExampleRequest) => void;
}

/** The obvious invalid inputs of an operation: missing, wrong type, out of bounds, not in the enum, unknown, repeated. */
export function negativeInputs(document: OpenApiDocument, entry: OperationEntry): NegativeInput[] {
  return [
    ...entry.parameters.flatMap((parameter) => parameterInputs(document, parameter)),
    ...queryInputs(),
    ...bodyInputs(document, entry),
  ];
}

function parameterInputs(document: OpenApiDocument, parameter: ParameterObject): NegativeInput[] {
  const { name, in: where } = parameter;
  const schema = resolve<Schema>(document, parameter.schema ?? {});
  const inputs = invalidValues(schema)
    .filter(({ value }) => typeof value !== "object" && !(where === "path" && value === ""))
    .filter(({ value }) => schema.type !== "string" || typeof value === "string") // in a URL everything is a string
    .map(({ title, value }) => ({
      title: `${where} parameter ${name} ${title}`,
      apply: (request: ExampleRequest) => place(request, parameter, String(value)),
    }));
  if (parameter.required === true && where === "query") {
    inputs.push({ title: `query parameter ${name} missing`, apply: (request) => place(request, parameter) });
  }
  if (parameter.required === true && where === "header") {
    inputs.push({ title: `header ${name} missing`, apply: (request) => Reflect.deleteProperty(request.headers, name) });
  }
  if (where === "query" && schema.type !== "array" && schema.type !== "object") {
    const text = exampleText(document, parameter);
    inputs.push({
      title: `query parameter ${name} given twice`,
      apply: (request) => place(request, parameter, text, text),
    });
  }
  return inputs;
}

function queryInputs(): NegativeInput[] {
  return [{ title: "unknown query parameter", apply: (request) => request.query.push(["no-such-parameter", "1"]) }];
}

function bodyInputs(document: OpenApiDocument, entry: OperationEntry): NegativeInput[] {
  const requestBody = resolve<RequestBodyObject>(document, entry.operation.requestBody ?? {});
  const node = requestBody.content?.["application/json"]?.schema;
  if (node === undefined) return [];
  const schema = resolve<Schema>(document, node);
  const body = (title: string, change: (value: unknown) => unknown): NegativeInput => ({
    title: `body ${title}`,
    apply: (request) => (request.body!.value = change(request.body!.value)),
  });
  const inputs = [body("that is not JSON", () => NOT_JSON)];
  if (requestBody.required === true) inputs.push({ title: "body missing", apply: (request) => delete request.body });
  if (schema.type !== "object")
    return [...inputs, ...invalidValues(schema).map(({ title, value }) => body(title, () => value))];
  inputs.push(body("of the wrong type", () => []));
  for (const name of (schema["required"] ?? []) as string[]) {
    inputs.push(body(`without the field ${name}`, (value) => ({ ...(value as object), [name]: undefined })));
  }
  if (schema["additionalProperties"] === false)
    inputs.push(body("with an unknown field", (value) => ({ ...(value as object), noSuchField: 1 })));
  for (const [name, field] of Object.entries((schema["properties"] ?? {}) as Record<string, Schema>)) {
    for (const { title, value: invalid } of invalidValues(resolve<Schema>(document, field))) {
      inputs.push(body(`with the field ${name} ${title}`, (value) => ({ ...(value as object), [name]: invalid })));
    }
  }
  return inputs;
}

/** Stands for a body that is sent as text that is not JSON. */
export const NOT_JSON = Symbol("text that is not JSON");

function invalidValues(schema: Schema): { title: string; value: unknown }[] {
  const values: { title: string; value: unknown }[] = [];
  const type = [schema.type].flat()[0];
  const { enum: listed, minimum, maximum, minLength, maxLength } = schema as Record<string, number | undefined>;
  if (listed !== undefined) values.push({ title: "not in the enum", value: "no-such-value" });
  if (type === "integer" || type === "number") values.push({ title: "of the wrong type", value: "abc" });
  if (type === "integer") values.push({ title: "with a fraction", value: 1.5 });
  if (type === "boolean") values.push({ title: "of the wrong type", value: "maybe" });
  if (type === "string") values.push({ title: "of the wrong type", value: 1 });
  if (type === "object" || type === "array") values.push({ title: "of the wrong type", value: "abc" });
  if (minimum !== undefined && Number.isSafeInteger(minimum - 1))
    values.push({ title: "below its minimum", value: minimum - 1 });
  if (maximum !== undefined && Number.isSafeInteger(maximum + 1))
    values.push({ title: "above its maximum", value: maximum + 1 });
  if (minLength !== undefined && minLength > 0)
    values.push({ title: "shorter than allowed", value: "x".repeat(minLength - 1) });
  if (maxLength !== undefined) values.push({ title: "longer than allowed", value: "x".repeat(maxLength + 1) });
  return values;
}
