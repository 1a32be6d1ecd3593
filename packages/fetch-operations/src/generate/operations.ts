import {
  type OpenApiDocument,
  type OperationEntry,
  type OperationObject,
  operationsOf,
  type ParameterObject,
  type Reference,
  type RequestBodyObject,
  resolve,
} from "openapi-document";
import { ownServers } from "../contract/servers.ts";
import type { DeclaredDeprecation, Pagination } from "../operation.ts";
import type { Config, OperationConfig } from "./config.ts";
import { type RequestBody, bodyOf, type DeclaredResponse, responsesOf } from "./bodies.ts";
import { type Argument, argumentsOf } from "./arguments.ts";
import { type OperationNames, operationNames } from "./operation-names.ts";
import { paginationOf } from "./pagination.ts";
import { securityOf } from "./security.ts";

/** The parts of an operation that the generator writes. */
export interface ClientOperation {
  /** The operationId, or the method and the path. */
  id: string;
  /** The name of its method and constant. */
  name: string;
  /** Upper case. */
  method: string;
  path: string;
  arguments: Argument[];
  body: RequestBody | undefined;
  responses: DeclaredResponse[];
  isInputRequired: boolean;
  /** Whether the contract declares header parameters that OpenAPI ignores. */
  hasIgnoredHeaders: boolean;
  isRetryable: boolean;
  idempotencyKey: string | undefined;
  pages: Pagination | undefined;
  security: string[][];
  /** The URL of its own server. */
  server: string | undefined;
  deprecated: DeclaredDeprecation | undefined;
  /** The name of the types: `ListPets` in `ListPetsInput` and `ListPetsResult`. */
  typeName: string;
  /** The lines of the JSDoc comment. */
  documentation: string[];
}

/** The error of an operation that the client cannot call, with its place in the contract and the remedy. */
export class Refusal extends TypeError {
  override readonly name = "Refusal";
  readonly operationId: string;

  constructor(id: string, problem: string, place = "") {
    super(`${place && `${place}: `}${id} ${problem}`);
    this.operationId = id;
  }
}

/** The parts of a configuration that describe operations. */
export type OperationSettings = Pick<Config, "operations" | "pagination" | "idempotencyHeader">;

/**
 * Describes every operation, in the contract's order. Throws a `Refusal` for an operation that the client cannot call, with
 * the place that `placeOf` returns.
 */
export function clientOperations(
  document: OpenApiDocument,
  config: OperationSettings = {},
  placeOf: (keys: string[]) => string = () => "",
): ClientOperation[] {
  const { operations = {} } = config;
  const entries = operationsOf(document).filter(({ id }) => settingsOf(config, id) !== false);
  const unknown = Object.keys(operations).find((id) => !operationsOf(document).some((entry) => entry.id === id));
  if (unknown !== undefined)
    throw new TypeError(`The configuration names the operation "${unknown}", which the contract does not have.`);
  const refuse = ({ id, path, method, additional }: OperationEntry, problem: string): never => {
    const keys = additional === undefined ? [method] : ["additionalOperations", additional];
    throw new Refusal(id, problem, placeOf(["paths", path, ...keys]));
  };
  const names = operationNames(entries, (id) => (settingsOf(config, id) || {}).name, refuse);
  return entries.map((entry) =>
    describe(document, entry, names.get(entry)!, config, (problem) => refuse(entry, problem)),
  );
}

function settingsOf({ operations = {} }: OperationSettings, id: string): OperationConfig | false | undefined {
  return Object.hasOwn(operations, id) ? operations[id] : undefined;
}

function describe(
  document: OpenApiDocument,
  entry: OperationEntry,
  { name, typeName }: OperationNames,
  config: OperationSettings,
  refuse: (problem: string) => never,
): ClientOperation {
  const { id, path, operation } = entry;
  const settings = settingsOf(config, id) || {};
  const method = entry.additional ?? entry.method.toUpperCase();
  // OpenAPI 3.0 ignores bodies where HTTP defines no meaning for them ("Operation Object", `requestBody`).
  const isIgnored = document.openapi.startsWith("3.0") && (method === "GET" || method === "HEAD");
  const requestBody = isIgnored ? undefined : resolve<RequestBodyObject | undefined>(document, operation.requestBody);
  const body =
    requestBody &&
    bodyOf(
      document,
      requestBody,
      entry.parameters.flatMap(({ in: place, name: own }) => [own, `${place}.${own}`]),
      refuse,
    );
  if (body && (method === "GET" || method === "HEAD"))
    refuse(`has a request body, which \`fetch\` does not send with ${method}. Use another method.`);
  // The path follows the base URL directly, so that another character could continue its host.
  if (!path.startsWith("/")) refuse("has a path that does not begin with a slash.");
  if (!/^[\w!#$%&'*+.^`|~-]+$/.test(method))
    refuse(`has the method ${JSON.stringify(method)}, which is not a token (RFC 9110, section 9.1). Correct its name.`);
  if (/^(?:connect|trace|track)$/i.test(method)) refuse(`has the method ${method}, which \`fetch\` does not send.`);
  if (entry.additional && (/^(?:delete|get|head|options|post|put)$/i.test(method) || /^(?:PATCH|QUERY)$/.test(method)))
    refuse(`has the method ${method} in additionalOperations. Move it to the field ${method.toLowerCase()}.`);
  const parameters = argumentsOf(document, entry, body, refuse);
  const responses = responsesOf(document, operation.responses ?? {}, method);
  const idempotencyHeader = config.idempotencyHeader ?? "Idempotency-Key";
  const isIdempotent = parameters.some(({ in: place, wire }) => place === "header" && wire === idempotencyHeader);
  const extension = (operation as Record<string, unknown>)["x-retryable"];
  const security = securityOf(document, entry, refuse);
  return {
    id,
    name,
    typeName,
    method,
    path,
    arguments: parameters,
    body,
    responses,
    hasIgnoredHeaders: hasIgnoredHeaders(document, entry),
    isInputRequired:
      parameters.some(({ isRequired }) => isRequired) ||
      (body !== undefined && body.isRequired && (!body.hasFields || body.requiredFields > 0)),
    isRetryable:
      settings.retry ??
      (typeof extension === "boolean" ? extension : method === "GET" || method === "HEAD" || isIdempotent),
    idempotencyKey: isIdempotent ? idempotencyHeader : undefined,
    pages: paginationOf(
      document,
      entry,
      parameters,
      config.pagination ?? [],
      settings.pagination,
      responses,
      body,
      refuse,
    ),
    security,
    server: ownServers(document, entry)[0]?.url,
    deprecated: operation.deprecated ? deprecation(operation) : undefined,
    documentation: documentation(operation),
  };
}

function hasIgnoredHeaders(document: OpenApiDocument, { path, operation, parameters }: OperationEntry): boolean {
  type WithParameters = Pick<OperationObject, "parameters">;
  const item = resolve<WithParameters>(document, (document.paths as Record<string, WithParameters | Reference>)[path]!);
  const all = [...(operation.parameters ?? []), ...(item.parameters ?? [])].map((node) =>
    resolve<ParameterObject>(document, node),
  );
  return all.some(
    ({ in: place, name }) => place === "header" && !parameters.some((own) => own.in === "header" && own.name === name),
  );
}

function deprecation(operation: OperationObject): DeclaredDeprecation {
  const { "x-deprecated-at": since, "x-sunset": sunset, "x-successor": successor } = operation;
  return { ...(since && { since }), ...(sunset && { sunset }), ...(successor && { successor }) };
}

function documentation({ summary, description, deprecated, ...operation }: OperationObject): string[] {
  const { sunset, successor } = deprecation({ ...operation });
  const advice = [sunset && `Will be removed on ${sunset}.`, successor && `Use \`${successor}\`.`]
    .filter(Boolean)
    .join(" ");
  return [
    ...(summary ? [...summary.split("\n"), ""] : []),
    ...(description?.trimEnd().split("\n") ?? []),
    ...(deprecated ? [`@deprecated ${advice}`.trimEnd()] : []),
  ];
}
