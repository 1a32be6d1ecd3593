import type { FakeContract, OperationContract } from "./contract.ts";
import { ContractViolation } from "./contract-violation.ts";
import type { ParameterObject, Schema } from "../generated/openapi.ts";
import { type SchemaError, valueOf } from "./schema.ts";

type Values = Record<string, unknown>;

/** A request of any operation, parsed. */
export interface AnyFakeRequest {
  operationId: string;
  url: string;
  path: Values;
  query: Values;
  headers: Headers;
  body: unknown;
}

/** Returns the operation of a request. Throws a `ContractViolation` if the contract has none. */
export function operationOf({ operations }: FakeContract, { method, url }: Request): OperationContract {
  const { pathname } = new URL(url);
  const operation = operations.find((candidate) => candidate.method === method && candidate.path.test(pathname));
  if (operation === undefined)
    throw new ContractViolation(
      `The contract has no operation ${method} ${pathname}. Check the method and the path of baseUrl.`,
    );
  return operation;
}

/** Parses a request. Throws a `ContractViolation` if the request breaks the contract. */
export async function readRequest(
  contract: FakeContract,
  operation: OperationContract,
  request: Request,
): Promise<AnyFakeRequest> {
  const { id, needsKey, requestBody } = operation;
  const hasKey = /^bearer \S+$/i.test(request.headers.get("Authorization") ?? "");
  if (needsKey && !hasKey)
    throwIfInvalid(operation, {
      pointer: "/headers/Authorization",
      message: "The API key is missing. Send it as a bearer token.",
    });
  const { path, query } = readParameters(contract, operation, request);
  const body = requestBody && (await readBody(contract, operation, request));
  return { operationId: id, url: request.url, path, query, headers: request.headers, body };
}

function readParameters(
  contract: FakeContract,
  operation: OperationContract,
  request: Request,
): { path: Values; query: Values } {
  const { pathname, searchParams } = new URL(request.url);
  const segments = operation.path.exec(pathname)!.slice(1);
  const texts = ({ name, in: location }: ParameterObject): string[] => {
    if (location === "query") return searchParams.getAll(name);
    if (location === "path") return [decoded(segments[operation.pathParameters.indexOf(name)]!)];
    return [request.headers.get(name) ?? []].flat();
  };
  const values: Record<string, Values> = { path: {}, query: {}, header: {} };
  for (const parameter of operation.parameters) {
    const { name, in: location, required, schema } = parameter;
    const pointer = `/${location === "header" ? "headers" : location}/${name}`;
    const [text, another] = texts(parameter);
    if (another !== undefined)
      throwIfInvalid(operation, { pointer, message: "The parameter is repeated. Send it once." });
    if (text === undefined && required)
      throwIfInvalid(operation, { pointer, message: "The required parameter is missing." });
    if (text === undefined) continue;
    const value = valueOf(contract.document, text, schema);
    throwIfInvalid(operation, contract.validate(value, schema, pointer));
    const json = typeof value === "string" ? JSON.stringify(text) : text;
    values[location]![name] = typed(contract, operation, json, schema, pointer);
  }
  const { path, query } = values as { path: Values; query: Values };
  for (const name of searchParams.keys())
    if (!(name in query))
      throwIfInvalid(operation, { pointer: `/query/${name}`, message: "The contract has no such parameter." });
  return { path, query };
}

/** Decodes a path segment. Returns a malformed segment unchanged. */
function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

async function readBody(contract: FakeContract, operation: OperationContract, request: Request): Promise<unknown> {
  const { required, content } = operation.requestBody!;
  const text = await request.clone().text();
  if (text === "" && !required) return undefined;
  const type = request.headers.get("Content-Type")?.split(";", 1)[0]!.trim().toLowerCase() ?? "none";
  const media = content?.[type];
  if (!media)
    throwIfInvalid(operation, {
      pointer: "/headers/Content-Type",
      message: `The content type is ${type}. Send application/json.`,
    });
  if (!/[/+]json$/.test(type)) return text;
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch (error) {
    throwIfInvalid(operation, { pointer: "/body", message: `The body is not JSON: ${(error as Error).message}` });
  }
  throwIfInvalid(operation, contract.validate(body, media?.schema, "/body"));
  return typed(contract, operation, text, media?.schema, "/body");
}

/** Parses JSON into the types of the client's values. Throws a `ContractViolation` for a date that does not exist. */
function typed(
  contract: FakeContract,
  operation: OperationContract,
  json: string,
  schema: Schema | undefined,
  pointer: string,
): unknown {
  try {
    return contract.typed(json, schema);
  } catch (error) {
    return throwIfInvalid(operation, { pointer, message: `The value ${(error as Error).message}.` });
  }
}

/** Throws a `ContractViolation` for an error; does nothing without one. */
function throwIfInvalid({ id }: OperationContract, error: SchemaError | undefined): void {
  if (error === undefined) return;
  const { pointer, message } = error;
  throw new ContractViolation(`${id}: the request breaks the contract at ${pointer}: ${message}`, id, pointer);
}
