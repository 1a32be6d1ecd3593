import { contract, type OperationContract } from "./contract.ts";
import { ContractViolation } from "./contract-violation.ts";
import type { ParameterObject } from "../generated/openapi.ts";
import type { FakeRequest } from "./mock.ts";
import { type Mistake, mistakeIn, valueOf } from "./schema.ts";

type Values = Record<string, unknown>;

/** The operation that a request is to. Throws a `ContractViolation` where there is none. */
export function operationOf({ method, url }: Request): OperationContract {
  const { pathname } = new URL(url);
  const operation = contract.find((candidate) => candidate.method === method && candidate.path.test(pathname));
  if (operation === undefined) throw new ContractViolation(`The contract has no operation ${method} ${pathname}.`);
  return operation;
}

/** What a request says. Throws a `ContractViolation` where that breaks the contract. */
export async function readRequest(operation: OperationContract, request: Request): Promise<FakeRequest> {
  const { id, needsKey, requestBody } = operation;
  const hasKey = /^bearer \S+$/i.test(request.headers.get("Authorization") ?? "");
  if (needsKey && !hasKey)
    refuse(operation, {
      pointer: "/headers/Authorization",
      message: "The API key is missing. Send it as a bearer token.",
    });
  const { path, query } = readParameters(operation, request);
  const body = requestBody && (await readBody(operation, request));
  // Its parts have the types that were made of the schemas they keep to.
  return { operationId: id, url: request.url, path, query, headers: request.headers, body } as FakeRequest;
}

function readParameters(operation: OperationContract, request: Request): { path: Values; query: Values } {
  const { pathname, searchParams } = new URL(request.url);
  const segments = operation.path.exec(pathname)!.slice(1);
  const texts = ({ name, in: place }: ParameterObject): string[] => {
    if (place === "query") return searchParams.getAll(name);
    if (place === "path") return [decoded(segments[operation.pathParameters.indexOf(name)]!)];
    return [request.headers.get(name) ?? []].flat();
  };
  const values: Record<string, Values> = { path: {}, query: {}, header: {} };
  for (const parameter of operation.parameters) {
    const { name, in: place, required, schema } = parameter;
    const pointer = `/${place === "header" ? "headers" : place}/${name}`;
    const [text, another] = texts(parameter);
    if (another !== undefined) refuse(operation, { pointer, message: "The parameter is repeated. Send it once." });
    if (text === undefined && required) refuse(operation, { pointer, message: "The required parameter is missing." });
    if (text === undefined) continue;
    const value = valueOf(text, schema);
    refuse(operation, mistakeIn(value, schema, pointer));
    values[place]![name] = value;
  }
  const { path, query } = values as { path: Values; query: Values };
  for (const name of searchParams.keys())
    if (!(name in query))
      refuse(operation, { pointer: `/query/${name}`, message: "The contract has no such parameter." });
  return { path, query };
}

/** What is not well encoded stands for itself. */
function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

async function readBody(operation: OperationContract, request: Request): Promise<unknown> {
  const { required, content } = operation.requestBody!;
  const text = await request.clone().text();
  if (text === "" && !required) return undefined;
  const type = request.headers.get("Content-Type")?.split(";", 1)[0]!.trim().toLowerCase() ?? "none";
  const media = content?.[type];
  if (!media)
    refuse(operation, {
      pointer: "/headers/Content-Type",
      message: `The content type is ${type}. Send application/json.`,
    });
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch (error) {
    refuse(operation, { pointer: "/body", message: `The body is not JSON: ${(error as Error).message}` });
  }
  refuse(operation, mistakeIn(body, media?.schema, "/body"));
  return body;
}

function refuse({ id }: OperationContract, mistake: Mistake | undefined): void {
  if (mistake === undefined) return;
  const { pointer, message } = mistake;
  throw new ContractViolation(`${id}: the request breaks the contract at ${pointer}: ${message}`, id, pointer);
}
