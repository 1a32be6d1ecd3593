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

/** The contract of an operation's requests and responses. */
export interface OperationContract {
  id: OperationId;
  method: string;
  /** Matches a URL's path. It has one group for each path parameter, in the order of the template. */
  path: RegExp;
  pathParameters: string[];
  /** The parameters of the operation and of its path item. */
  parameters: ParameterObject[];
  requestBody: RequestBodyObject | undefined;
  /** The responses by status, range (`4XX`) or `default`. */
  responses: Record<string, ResponseObject>;
  needsKey: boolean;
  /** The first declared 2xx status. */
  success: number;
}

const basePath = new URL(document.servers[0]!.url).pathname.replace(/\/$/, "");

const entries = new Map(operationsOf(document).map((entry) => [entry.id, entry]));

/** Every operation of the contract. */
export const contract: OperationContract[] = operations.map((operation) =>
  contractOf(operation, entries.get(operation.id)!),
);

/** Returns the target of a reference in the contract, or the node itself. */
export function resolved<Target extends object>(node: Target | Reference): Target {
  return resolve<Target>(document, node);
}

function contractOf(
  { id, method, path, success }: Operation<OperationId>,
  { operation, parameters }: OperationEntry,
): OperationContract {
  const responses = Object.entries(operation.responses ?? {}).map(([key, node]) => [key, resolved(node)] as const);
  const template = path.replaceAll(/[.*+?^$()[\]|\\]/g, "\\$&").replaceAll(/\{[^}]*\}/g, "([^/]+)");
  return {
    id,
    method,
    path: new RegExp(`${basePath}${template}$`),
    pathParameters: Array.from(path.matchAll(/\{([^}]*)\}/g), ([, name]) => name!),
    parameters,
    requestBody: operation.requestBody && resolved(operation.requestBody),
    responses: Object.fromEntries(responses),
    needsKey: (operation.security ?? []).length > 0,
    success: success[0]!,
  };
}
