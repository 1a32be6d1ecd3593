import {
  type OpenApiDocument,
  type OperationEntry,
  type OperationObject,
  operationsOf,
  type ParameterObject,
  type Reference,
  requirementsOf,
  type RequestBodyObject,
  resolve,
  securityScheme,
} from "openapi-document";
import { ownServers } from "../contract/servers.ts";
import type { DeclaredDeprecation, Pagination } from "../operation.ts";
import type { Config, OperationConfig } from "./config.ts";
import { type DescribedBody, describedBody } from "./described-body.ts";
import { type Argument, argumentsOf } from "./described-parameters.ts";
import { type DescribedResponse, describedResponses } from "./described-responses.ts";
import { capitalized, identifierOf } from "./names.ts";
import { paginationOf } from "./pagination.ts";
import { Refusal } from "./refusal.ts";
import { schemesOf } from "./security-schemes.ts";

/** The parts of an operation that the generator writes. */
export interface Described {
  /** The operationId, or the method and the path. */
  id: string;
  /** The name of its method and constant. */
  name: string;
  /** Upper case. */
  method: string;
  path: string;
  arguments: Argument[];
  body: DescribedBody | undefined;
  responses: DescribedResponse[];
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

/** The parts of a configuration that describe operations. */
export type DescribingConfig = Pick<Config, "operations" | "pagination" | "idempotencyHeader">;

/**
 * Describes every operation, in the contract's order. Throws a `Refusal` for an operation that the client cannot call, with
 * the place that `placeOf` returns.
 */
export function describedOperations(
  document: OpenApiDocument,
  config: DescribingConfig = {},
  placeOf: (keys: string[]) => string = () => "",
): Described[] {
  const { operations = {} } = config;
  const entries = operationsOf(document).filter(({ id }) => operations[id] !== false);
  const unknown = Object.keys(operations).find((id) => !operationsOf(document).some((entry) => entry.id === id));
  if (unknown !== undefined)
    throw new TypeError(`The configuration names the operation "${unknown}", which the contract does not have.`);
  const described = entries.map((entry) => {
    const refuse = (problem: string): never => {
      throw new Refusal(entry.id, problem, placeOf(["paths", entry.path, entry.method]));
    };
    return describe(document, entry, config, refuse);
  });
  const taken = new Map<string, string>();
  for (const [index, { id, name, typeName }] of described.entries()) {
    const other = taken.get(typeName);
    if (other !== undefined) {
      const { path, method } = entries[index]!;
      const remedy = `Set another in the configuration: operations: { ${JSON.stringify(id)}: { "name": "…" } }.`;
      throw new Refusal(id, `has the name ${name}, like ${other}. ${remedy}`, placeOf(["paths", path, method]));
    }
    taken.set(typeName, id);
  }
  return described;
}

function describe(
  document: OpenApiDocument,
  entry: OperationEntry,
  config: DescribingConfig,
  refuse: (problem: string) => never,
): Described {
  const { id, path, operation } = entry;
  const settings: OperationConfig = config.operations?.[id] || {};
  const method = entry.method.toUpperCase();
  const name = settings.name ?? identifierOf(id);
  // OpenAPI 3.0 ignores bodies where HTTP defines no meaning for them ("Operation Object", `requestBody`).
  const isIgnored = document.openapi.startsWith("3.0") && (method === "GET" || method === "HEAD");
  const requestBody = isIgnored ? undefined : resolve<RequestBodyObject | undefined>(document, operation.requestBody);
  const body =
    requestBody &&
    describedBody(
      document,
      requestBody,
      entry.parameters.map((parameter) => parameter.name),
      refuse,
    );
  if (body && (method === "GET" || method === "HEAD"))
    refuse(`has a request body, which \`fetch\` does not send with ${method}. Use another method.`);
  // The path follows the base URL directly, so that another character could continue its host.
  if (!path.startsWith("/")) refuse("has a path that does not begin with a slash.");
  if (method === "TRACE") refuse("has the method TRACE, which `fetch` does not send.");
  const parameters = argumentsOf(document, entry, body, refuse);
  const responses = describedResponses(document, operation.responses ?? {}, method);
  const idempotencyHeader = config.idempotencyHeader ?? "Idempotency-Key";
  const isIdempotent = parameters.some(({ in: place, wire }) => place === "header" && wire === idempotencyHeader);
  const extension = (operation as Record<string, unknown>)["x-retryable"];
  const security = securityOf(document, entry, refuse);
  return {
    id,
    name,
    typeName: capitalized(name.replace(/_$/, "")),
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
    pages: paginationOf(document, entry, config.pagination ?? [], settings.pagination, responses, refuse),
    security,
    server: ownServers(document, entry)[0]?.url,
    deprecated: operation.deprecated ? deprecation(operation) : undefined,
    documentation: documentation(operation),
  };
}

/** Returns the requirements of an operation, or undefined if it has those of the document. One without schemes comes last. */
function securityOf(document: OpenApiDocument, entry: OperationEntry, refuse: (problem: string) => never): string[][] {
  const requirements = requirementsOf(document, entry).map((requirement) => Object.keys(requirement));
  const missing = requirements.flat().find((name) => securityScheme(document, name) === undefined);
  if (missing !== undefined) refuse(`requires the security scheme "${missing}", which the contract does not declare.`);
  const known = schemesOf(document);
  const sent = requirements.filter((names) => names.every((name) => known.has(name)));
  const unsent = requirements.flat().find((name) => !known.has(name));
  if (sent.length === 0 && unsent !== undefined) {
    const { type, scheme } = securityScheme(document, unsent)!;
    refuse(
      `requires the security scheme "${unsent}" of the type ${type}${scheme ? ` and the scheme ${scheme}` : ""}, which the client does not send.`,
    );
  }
  return sorted(sent);
}

/** Returns the security requirements that most operations have. */
export function sharedSecurity(operations: Described[]): string[][] {
  const counts = new Map<string, number>();
  for (const { security } of operations)
    counts.set(JSON.stringify(security), (counts.get(JSON.stringify(security)) ?? 0) + 1);
  const [most] = [...counts].toSorted(([, one], [, other]) => other - one);
  return most === undefined ? [] : (JSON.parse(most[0]) as string[][]);
}

/** Returns requirements with those without schemes last, so that a credential is sent where the client has one. */
export function sorted(requirements: string[][]): string[][] {
  return requirements.toSorted((one, other) => Number(one.length === 0) - Number(other.length === 0));
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
