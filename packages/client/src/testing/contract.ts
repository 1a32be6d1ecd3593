import { resolve } from "../fingerprint.ts";
import { document } from "../generated/document.ts";
import { operations } from "../generated/operations.ts";
import type { Operation, OperationId } from "../operation.ts";
import type { OperationObject, ParameterObject, Reference, RequestBodyObject, ResponseObject } from "./document.ts";

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

/** Every operation of the contract. */
export const contract: OperationContract[] = operations.map(contractOf);

/** What a reference within the contract refers to; anything else is itself. */
export function read<Target extends object>(node: Reference<Target>): Target {
  return "$ref" in node ? read(resolve(document, node.$ref) as Reference<Target>) : node;
}

function contractOf({ id, method, path, success }: Operation<OperationId>): OperationContract {
  const item = document.paths[path]!;
  const operation = item[method.toLowerCase()] as OperationObject;
  const shared = (item["parameters"] ?? []) as Reference<ParameterObject>[];
  const responses = Object.entries(operation.responses).map(([key, node]) => [key, read(node)] as const);
  const template = path.replaceAll(/[.*+?^$()[\]|\\]/g, "\\$&").replaceAll(/\{[^}]*\}/g, "([^/]+)");
  return {
    id,
    method,
    path: new RegExp(`${basePath}${template}$`),
    pathParameters: Array.from(path.matchAll(/\{([^}]*)\}/g), ([, name]) => name!),
    parameters: [...shared, ...(operation.parameters ?? [])].map((node) => read(node)),
    requestBody: operation.requestBody && read(operation.requestBody),
    responses: Object.fromEntries(responses),
    needsKey: (operation.security ?? []).length > 0,
    success: success[0]!,
  };
}
