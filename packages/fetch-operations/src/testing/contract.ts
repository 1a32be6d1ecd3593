import {
  type OpenApiDocument,
  type OperationEntry,
  operationsOf,
  parameterNames,
  type ParameterObject,
  readableDocument,
  type Reference,
  type RequestBodyObject,
  requirementsOf,
  resolve,
  type ResponseObject,
  type Schema,
  securityScheme,
  type SecurityScheme,
  withDirections,
} from "openapi-document";
import { shapesOf, type ValueTypes } from "../contract/shapes.ts";
import { typedValue } from "../response/typed-json.ts";
import { defaultUrl, ownServers, sharedServers } from "../contract/servers.ts";
import { schemaValidator, type Validate } from "./schema.ts";

/** A contract as a fake reads it. */
export interface FakeContract {
  document: ContractDocument;
  operations: OperationContract[];
  /** Returns the target of a reference in the contract, or the node itself. */
  resolved: <Target extends object>(node: Target | Reference) => Target;
  validate: Validate;
  /** Parses JSON into the types of the client's values. */
  typed: (text: string, schema: Schema | undefined) => unknown;
}

/** The contract of an operation's requests and responses. */
export interface OperationContract {
  /** The name of the operation in the client. */
  id: string;
  method: string;
  /** Matches a URL's path. It has one group for each path parameter, in the order of the template. */
  path: RegExp;
  pathParameters: string[];
  /** The parameters of the operation and of its path item. */
  parameters: ParameterObject[];
  requestBody: RequestBodyObject | undefined;
  /** The responses by status, range (`4XX`) or `default`. */
  responses: Record<string, ResponseObject>;
  /** The security requirements. A request satisfies one of them, with every scheme of its list. */
  security: SecurityScheme[][];
  /** The first declared 2xx status. */
  success: number;
}

/**
 * Returns the contract of a document. `names` has the names of the operations in the client, by operationId, and `types` the
 * types of its values.
 */
export function contractOf(
  given: ContractDocument,
  names: ReadonlyMap<string, string>,
  types: ValueTypes = {},
): FakeContract {
  const document = withDirections(readableDocument(given) as ContractDocument, false);
  const resolved = <Target extends object>(node: Target | Reference): Target => resolve<Target>(document, node);
  const operations = operationsOf(document)
    .filter(({ id }) => names.has(id))
    // A concrete path precedes a template that matches it too (OpenAPI 3.1, section 4.8.8.2).
    .toSorted(({ path: one }, { path: other }) => {
      const [literals, others] = [literalsOf(one), literalsOf(other)];
      return literals.length - others.length || others.join("").length - literals.join("").length;
    })
    .map((entry) => operationContract(document, entry, names.get(entry.id)!));
  const shapes = shapesOf(document, types);
  const dates = types.dates === "string" ? undefined : types.dates;
  const typed: FakeContract["typed"] = (text, schema) => {
    const shape = shapes.of(schema);
    return shape === undefined ? JSON.parse(text) : typedValue(text, shape, shapes.named, dates);
  };
  return { document, operations, resolved, validate: schemaValidator(document), typed };
}

/** Returns a regular expression of a part of a path template, as clients encode it. */
function literalOf(text: string): string {
  const encoded = encodeURI(text)
    .replaceAll(/%25([\dA-F]{2})/gi, "%$1")
    .replaceAll(/[?#]/g, encodeURIComponent);
  return encoded.replaceAll(/[.*+?^$()[\]|\\]/g, "\\$&");
}

/** Returns the texts between the parameters of a path template. */
function literalsOf(path: string): string[] {
  return path.split(/\{[^}]+\}/);
}

function operationContract(document: ContractDocument, entry: OperationEntry, id: string): OperationContract {
  const { method, path, operation, parameters, additional = method.toUpperCase() } = entry;
  const responses = Object.entries(operation.responses ?? {}).map(
    ([key, node]) => [key, resolve<ResponseObject>(document, node)] as const,
  );
  const template = literalsOf(path).map(literalOf).join("([^/]+)");
  const basePaths = [sharedServers(document)[0], ...ownServers(document, entry)].map((server) => {
    const url = URL.parse(defaultUrl(server), "http://localhost");
    return literalOf(url?.pathname.replace(/\/+$/, "") ?? "");
  });
  return {
    id,
    method: additional,
    path: new RegExp(`(?:${basePaths.join("|")})${template}$`),
    pathParameters: parameterNames(path),
    parameters,
    requestBody: operation.requestBody && resolve<RequestBodyObject>(document, operation.requestBody),
    responses: Object.fromEntries(responses),
    security: requirementsOf(document, entry).map((requirement) =>
      Object.keys(requirement).flatMap((name) => securityScheme(document, name) ?? []),
    ),
    success: Number(responses.find(([key]) => /^2\d\d$/.test(key))?.[0] ?? 200),
  };
}

/** The fields of a contract that a fake reads. */
export interface ContractDocument extends OpenApiDocument {
  servers?: {
    url: string;
    description?: string;
    variables?: Record<string, ServerVariable>;
    [field: string]: unknown;
  }[];
  components?: { schemas?: object; [field: string]: unknown };
  [field: string]: unknown;
}

interface ServerVariable {
  default: string;
  [field: string]: unknown;
}

/** The error of a request or mocked response that breaks the contract, or of an operation that the contract does not have. */
export class ContractViolation<Id extends string = string> extends Error {
  declare readonly name: "ContractViolation";
  /** Undefined if the contract has no such operation. */
  declare readonly operationId: Id | undefined;
  /**
   * The place in the request or response, as a JSON Pointer (RFC 6901): `/query/limit`, `/body/0/status`. Undefined without
   * one.
   */
  declare readonly pointer: string | undefined;

  constructor(message: string, operationId?: Id, pointer?: string) {
    super(message);
    Object.assign(this, { name: "ContractViolation", operationId, pointer });
  }
}
