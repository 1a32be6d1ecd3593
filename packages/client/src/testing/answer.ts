import { type OperationContract, read } from "./contract.ts";
import { ContractViolation } from "./contract-violation.ts";
import type { MediaTypeObject, ResponseObject } from "../generated/openapi.ts";
import { type Mistake, mistakeIn, valueOf } from "./schema.ts";

/** A mocked answer of whichever operation. */
export interface Answer {
  status: number;
  body?: unknown;
  headers?: Record<string, string>;
}

/** An answer as the service would send it. Throws a `ContractViolation` where that breaks the contract. */
export function responseOf(operation: OperationContract, answer: Answer): Response {
  const { status } = answer;
  const declared = declaredResponse(operation, status);
  if (declared === undefined)
    throw violation(operation, status, { pointer: "/status", message: "The contract does not declare this status." });
  const body = bodyOf(operation, answer, declared);
  const headers = new Headers({
    ...(body !== undefined && { "Content-Type": "application/json" }),
    ...requiredHeaders(declared),
    ...answer.headers,
  });
  for (const [name, node] of Object.entries(declared.headers ?? {})) {
    const { schema } = read(node);
    const text = headers.get(name);
    const mistake = text === null ? undefined : mistakeIn(valueOf(text, schema), schema, `/headers/${name}`);
    if (mistake) throw violation(operation, status, mistake);
  }
  return new Response(body, { status, headers });
}

/** `default` stands for failures alone, where successes are declared one by one. */
function declaredResponse({ responses }: OperationContract, status: number): ResponseObject | undefined {
  return (
    responses[status] ?? responses[`${String(status)[0]}XX`] ?? (isFailure(status) ? responses["default"] : undefined)
  );
}

function isFailure(status: number): boolean {
  return Number.isInteger(status) && status >= 400 && status < 600;
}

/** The JSON text of the body, the contract's example when none is given; undefined where there is to be none. */
function bodyOf(operation: OperationContract, { status, body }: Answer, declared: ResponseObject): string | undefined {
  const media = declared.content?.["application/json"];
  if (media === undefined && body === undefined) return undefined;
  if (media === undefined)
    throw violation(operation, status, { pointer: "/body", message: "The contract declares no body. Leave it out." });
  const text = JSON.stringify(body === undefined ? exampleOf(media, status) : body) as string | undefined;
  const mistake =
    text === undefined
      ? { pointer: "/body", message: "The body is missing, and the contract has no example of it. Add a body." }
      : mistakeIn(JSON.parse(text), media.schema, "/body");
  if (mistake) throw violation(operation, status, mistake);
  return text;
}

/** The first example, but in a failure the one with its status: responses that stand for several have several. */
function exampleOf(media: MediaTypeObject, status: number): unknown {
  const values = Object.values(media.examples ?? {}).map((example) => read(example).value);
  if (!isFailure(status)) return values[0];
  const errors = values as { status?: unknown }[];
  return errors.find((error) => error.status === status) ?? (errors[0] && { ...errors[0], status });
}

function requiredHeaders({ headers = {} }: ResponseObject): Record<string, string> {
  const required = Object.entries(headers).filter(([, node]) => read(node).required);
  return Object.fromEntries(required.map(([name, node]) => [name, String(exampleOf(read(node), 0))]));
}

function violation({ id }: OperationContract, status: number, { pointer, message }: Mistake): ContractViolation {
  const text = `${id}: the mocked response ${status} breaks the contract at ${pointer}: ${message}`;
  return new ContractViolation(text, id, pointer);
}
