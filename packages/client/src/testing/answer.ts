import { type OperationContract, resolved } from "./contract.ts";
import { ContractViolation } from "./contract-violation.ts";
import type { MediaTypeObject, ResponseObject } from "../generated/openapi.ts";
import { type SchemaError, validate, valueOf } from "./schema.ts";

/** A mocked response of any operation. */
export interface AnyMockAnswer {
  status: number;
  body?: unknown;
  headers?: Record<string, string>;
}

/** Returns the response of a mock. Throws a `ContractViolation` if the response breaks the contract. */
export function responseOf(operation: OperationContract, mock: AnyMockAnswer): Response {
  const { status } = mock;
  const declared = declaredResponse(operation, status);
  if (declared === undefined)
    throw violation(operation, status, { pointer: "/status", message: "The contract does not declare this status." });
  const body = bodyOf(operation, mock, declared);
  const headers = new Headers({
    ...(body !== undefined && { "Content-Type": "application/json" }),
    ...requiredHeaders(declared),
    ...mock.headers,
  });
  for (const [name, node] of Object.entries(declared.headers ?? {})) {
    const { schema } = resolved(node);
    const text = headers.get(name);
    const error = text === null ? undefined : validate(valueOf(text, schema), schema, `/headers/${name}`);
    if (error) throw violation(operation, status, error);
  }
  return new Response(body, { status, headers });
}

/** Returns the declared response of a status. `default` covers errors only, because the contract declares each success. */
function declaredResponse({ responses }: OperationContract, status: number): ResponseObject | undefined {
  return (
    responses[status] ??
    responses[`${String(status)[0]}XX`] ??
    (isErrorStatus(status) ? responses["default"] : undefined)
  );
}

function isErrorStatus(status: number): boolean {
  return Number.isInteger(status) && status >= 400 && status < 600;
}

/** Returns the body as JSON text. A missing body becomes the contract's example; undefined if the contract declares no body. */
function bodyOf(
  operation: OperationContract,
  { status, body }: AnyMockAnswer,
  declared: ResponseObject,
): string | undefined {
  const media = declared.content?.["application/json"];
  if (media === undefined && body === undefined) return undefined;
  if (media === undefined)
    throw violation(operation, status, { pointer: "/body", message: "The contract declares no body. Leave it out." });
  const text = JSON.stringify(body === undefined ? exampleOf(media, status) : body) as string | undefined;
  const error =
    text === undefined
      ? { pointer: "/body", message: "The body is missing, and the contract has no example of it. Add a body." }
      : validate(JSON.parse(text), media.schema, "/body");
  if (error) throw violation(operation, status, error);
  return text;
}

/** Returns the first example. An error takes the example of its status, because one response may declare several statuses. */
function exampleOf(media: MediaTypeObject, status: number): unknown {
  const values = Object.values(media.examples ?? {}).map((example) => resolved(example).value);
  if (!isErrorStatus(status)) return values[0];
  const errors = values as { status?: unknown }[];
  return errors.find((error) => error.status === status) ?? (errors[0] && { ...errors[0], status });
}

function requiredHeaders({ headers = {} }: ResponseObject): Record<string, string> {
  const required = Object.entries(headers).filter(([, node]) => resolved(node).required);
  return Object.fromEntries(required.map(([name, node]) => [name, String(exampleOf(resolved(node), 0))]));
}

function violation({ id }: OperationContract, status: number, { pointer, message }: SchemaError): ContractViolation {
  const text = `${id}: the mocked response ${status} breaks the contract at ${pointer}: ${message}`;
  return new ContractViolation(text, id, pointer);
}
