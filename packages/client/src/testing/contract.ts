import { document } from "../generated/document.ts";
import {
  type OperationEntry,
  operationsOf,
  type ParameterObject,
  type Reference,
  type RequestBodyObject,
  resolve,
  type ResponseObject,
} from "../generated/openapi.ts";
import { operations } from "../generated/operations.ts";
import type { Operation, OperationId } from "../operation.ts";

/** What the contract says of an operation's messages. */
export interface OperationContract {
  id: OperationId;
  method: string;
  /** Matches the path of a URL and has a group for each path parameter, in the order of the template. */
  path: RegExp;
  pathParameters: string[];
  /** Also those of its path. */
  parameters: ParameterObject[];
  requestBody: RequestBodyObject | undefined;
  /** By status, range (`4XX`) or `default`. */
  responses: Record<string, ResponseObject>;
  needsKey: boolean;
  /** The success that is declared first. */
  success: number;
}

const basePath = new URL(document.servers[0]!.url).pathname.replace(/\/$/, "");

const entries = new Map(operationsOf(document).map((entry) => [entry.id, entry]));

/** Every operation of the contract. */
export const contract: OperationContract[] = operations.map((facts) => contractOf(facts, entries.get(facts.id)!));

/** What a reference within the contract refers to; anything else is itself. */
export function read<Target extends object>(node: Target | Reference): Target {
  return resolve<Target>(document, node);
}

function contractOf(
  { id, method, path, success }: Operation<OperationId>,
  { operation, parameters }: OperationEntry,
): OperationContract {
  const responses = Object.entries(operation.responses ?? {}).map(([key, node]) => [key, read(node)] as const);
  const template = path.replaceAll(/[.*+?^$()[\]|\\]/g, "\\$&").replaceAll(/\{[^}]*\}/g, "([^/]+)");
  return {
    id,
    method,
    path: new RegExp(`${basePath}${template}$`),
    pathParameters: Array.from(path.matchAll(/\{([^}]*)\}/g), ([, name]) => name!),
    parameters,
    requestBody: operation.requestBody && read(operation.requestBody),
    responses: Object.fromEntries(responses),
    needsKey: (operation.security ?? []).length > 0,
    success: success[0]!,
  };
}
