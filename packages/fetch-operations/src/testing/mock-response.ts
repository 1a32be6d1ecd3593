import { ContractViolation, type FakeContract, type OperationContract } from "./contract.ts";
import { essenceOf, isJson } from "../media-type.ts";
import { writeBigJson } from "../request/body.ts";
import { isSequential, type MediaTypeObject, type ResponseObject, type Schema } from "openapi-document";
import { validValue } from "openapi-document/example";
import { type SchemaError, valueOf, withoutForbidden } from "./schema.ts";

/** A mocked response of any operation. */
export interface AnyMockResponse {
  status: number;
  body?: unknown;
  headers?: Record<string, string>;
}

/** Returns the response of a mock. Throws a `ContractViolation` if the response breaks the contract. */
export function responseOf(contract: FakeContract, operation: OperationContract, mock: AnyMockResponse): Response {
  const { status } = mock;
  const declared = declaredResponse(operation, status);
  if (declared === undefined)
    throw violation(operation, status, { pointer: "/status", message: "The contract does not declare this status." });
  const [type, body] = bodyOf(contract, operation, mock, declared);
  const headers = new Headers({
    ...(body !== undefined && { "Content-Type": type }),
    ...requiredHeaders(contract, operation, status, declared),
    ...mock.headers,
  });
  for (const [name, node] of Object.entries(declared.headers ?? {})) {
    const { schema } = contract.resolved(node);
    const text = headers.get(name);
    const value = text === null ? undefined : valueOf(contract.document, text, schema);
    const error = text === null ? undefined : contract.validate(value, schema, `/headers/${name}`);
    if (error) throw violation(operation, status, error);
  }
  return new Response(body, { status, headers });
}

/** Returns the declared response of a status. `default` covers errors only, because the contract declares each success. */
export function declaredResponse({ responses }: OperationContract, status: number): ResponseObject | undefined {
  return (
    responses[status] ??
    responses[`${String(status)[0]}XX`] ??
    (isErrorStatus(status) ? responses["default"] : undefined)
  );
}

function isErrorStatus(status: number): boolean {
  return Number.isInteger(status) && status >= 400 && status < 600;
}

/**
 * Returns the media type and the body: JSON text, or the mock's body as it is for other media types. A missing body becomes the
 * contract's example, or a value of its schema; undefined if the contract declares no body.
 */
function bodyOf(
  contract: FakeContract,
  operation: OperationContract,
  { status, body }: AnyMockResponse,
  { content = {} }: ResponseObject,
): [type: string, body: ConstructorParameters<typeof Response>[0]] {
  const type = Object.keys(content).find(isJson) ?? Object.keys(content)[0];
  if (type === undefined && body === undefined) return ["", undefined];
  if (type === undefined)
    throw violation(operation, status, { pointer: "/body", message: "The contract declares no body. Leave it out." });
  const media = content[type]!;
  let value = body === undefined ? exampleOf(contract, media, status) : body;
  if (value === undefined && !isSequential(essenceOf(type))) {
    const made = generatedValue(contract, operation, status, media.schema, "/body");
    if (isJson(type) || typeof made === "string") value = withStatus(made, status);
  }
  if (!isJson(type) && value !== undefined) return [type, value as string];
  const text = writeBigJson(value).body as string | undefined;
  const error =
    text === undefined
      ? { pointer: "/body", message: "The body is missing, and the contract has no example of it. Add a body." }
      : contract.validate(JSON.parse(text), media.schema, "/body");
  if (error) throw violation(operation, status, error);
  return [type, text];
}

/** Returns the first example. An error takes the example of its status, because one response may declare several statuses. */
function exampleOf(contract: FakeContract, media: MediaTypeObject, status: number): unknown {
  const named = Object.values(media.examples ?? {}).map((example) => contract.resolved(example).value);
  const all = media.example === undefined ? named : [media.example, ...named];
  const values = all.map((value) => withoutForbidden(contract.document, media.schema, value));
  if (!isErrorStatus(status)) return values[0];
  const errors = values as { status?: unknown }[];
  return errors.find((error) => error.status === status) ?? (errors[0] && { ...errors[0], status });
}

/** Returns a valid value of a schema. Throws a `ContractViolation` if none is found. */
function generatedValue(
  { document, validate }: FakeContract,
  operation: OperationContract,
  status: number,
  schema: Schema = {},
  pointer: string,
): unknown {
  try {
    const where = `the response ${status} of "${operation.id}"`;
    return validValue(document, schema, where, (value) => validate(value, schema, ""));
  } catch (error) {
    throw violation(operation, status, { pointer, message: (error as Error).message });
  }
}

/** Sets the status in the body of an error that has one, because one response may declare several statuses. */
function withStatus(body: unknown, status: number): unknown {
  const hasStatus = typeof (body as { status?: unknown } | null)?.status === "number";
  return isErrorStatus(status) && hasStatus ? { ...(body as object), status } : body;
}

function requiredHeaders(
  contract: FakeContract,
  operation: OperationContract,
  status: number,
  { headers = {} }: ResponseObject,
): Record<string, string> {
  const required = Object.entries(headers).flatMap(([name, node]) => {
    const header = contract.resolved(node);
    if (!header.required) return [];
    const value =
      exampleOf(contract, header, 0) ?? generatedValue(contract, operation, status, header.schema, `/headers/${name}`);
    return [[name, String(value)]];
  });
  return Object.fromEntries(required) as Record<string, string>;
}

function violation({ id }: OperationContract, status: number, { pointer, message }: SchemaError): ContractViolation {
  const text = `${id}: the mocked response ${status} breaks the contract at ${pointer}: ${message}`;
  return new ContractViolation(text, id, pointer);
}
