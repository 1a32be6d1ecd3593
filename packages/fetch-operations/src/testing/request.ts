import { ContractViolation, type FakeContract, type OperationContract } from "./contract.ts";
import type { ParameterObject, Schema } from "openapi-document";
import { essenceOf, isJson } from "../media-type.ts";
import { missingCredential } from "./credentials.ts";
import { decoded, readParameter, type SentParameters, sentParameters } from "./parameters.ts";
import { pointerTo, type SchemaError } from "./schema.ts";

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

/** Returns the operation of a request; undefined if the contract has none. */
export function findOperation({ operations }: FakeContract, { method, url }: Request): OperationContract | undefined {
  const { pathname } = new URL(url);
  return operations.find((candidate) => candidate.method === method && candidate.path.test(pathname));
}

/** Returns the operation of a request. Throws a `ContractViolation` if the contract has none. */
export function operationOf(contract: FakeContract, request: Request): OperationContract {
  const operation = findOperation(contract, request);
  if (operation === undefined)
    throw new ContractViolation(
      `The contract has no operation ${request.method} ${new URL(request.url).pathname}. Check the method and the path of baseUrl.`,
    );
  return operation;
}

/** Parses a request. Throws a `ContractViolation` if the request breaks the contract. */
export async function readRequest(
  contract: FakeContract,
  operation: OperationContract,
  request: Request,
): Promise<AnyFakeRequest> {
  const { id, path: template, pathParameters, requestBody, security } = operation;
  const segments = template.exec(new URL(request.url).pathname)!.slice(1);
  const sent = sentParameters(
    request,
    Object.fromEntries(pathParameters.map((name, index) => [name, segments[index]!])),
  );
  throwIfInvalid(operation, missingCredential(security, sent));
  const { path, query } = readParameters(contract, operation, sent);
  const body = requestBody && (await readBody(contract, operation, request));
  return { operationId: id, url: request.url, path, query, headers: request.headers, body };
}

function readParameters(
  contract: FakeContract,
  operation: OperationContract,
  sent: SentParameters,
): { path: Values; query: Values } {
  const values: Record<string, Values> = { path: {}, query: {}, header: {}, cookie: {} };
  const keys = operation.security.flat().filter((scheme) => scheme.type === "apiKey" && scheme.in === "query");
  const known = new Set(keys.map(({ name }) => name));
  const declared = new Set(operation.parameters.map(({ name }) => name));
  for (const parameter of operation.parameters) {
    const { name, in: location, required, schema = contentSchema(parameter) } = parameter;
    const pointer = pointerTo(location, name);
    const { json, names, isRepeated } = readParameter(contract.document, parameter, declared, sent);
    if (location === "query") for (const own of names) known.add(own);
    if (isRepeated) throwIfInvalid(operation, { pointer, message: "The parameter is repeated. Send it once." });
    if (json === undefined && required)
      throwIfInvalid(operation, { pointer, message: "The required parameter is missing." });
    if (json === undefined) continue;
    const value = parsed(operation, json, pointer);
    throwIfInvalid(operation, contract.validate(value, schema, pointer));
    values[location]![name] = typed(contract, operation, json, schema, pointer);
  }
  const unknown = sent.query.map(([name]) => decoded(name)).find((name) => !known.has(name));
  if (unknown !== undefined)
    throwIfInvalid(operation, { pointer: pointerTo("query", unknown), message: "The contract has no such parameter." });
  const { path, query } = values as { path: Values; query: Values };
  return { path, query };
}

function contentSchema({ content = {} }: ParameterObject): Schema | undefined {
  return Object.values(content)[0]?.schema;
}

function parsed(operation: OperationContract, json: string, pointer: string): unknown {
  try {
    return JSON.parse(json);
  } catch (error) {
    const place = pointer === "/body" ? "body" : "value";
    return throwIfInvalid(operation, { pointer, message: `The ${place} is not JSON: ${(error as Error).message}` });
  }
}

async function readBody(contract: FakeContract, operation: OperationContract, request: Request): Promise<unknown> {
  const { required, content } = operation.requestBody!;
  const text = await request.clone().text();
  if (text === "" && !required) return undefined;
  const type = essenceOf(request.headers.get("Content-Type")) || "none";
  const media = Object.entries(content ?? {}).find(([key]) => essenceOf(key) === type)?.[1];
  if (!media)
    throwIfInvalid(operation, {
      pointer: "/headers/Content-Type",
      message: `The content type is ${type}. Send application/json.`,
    });
  if (!isJson(type)) return text;
  const body = parsed(operation, text, "/body");
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
