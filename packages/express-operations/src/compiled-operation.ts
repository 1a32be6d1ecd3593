import { acceptanceOf } from "./request/accept.ts";
import { type BodyReader, bodyReader } from "./request/body.ts";
import {
  apiKeyParameters,
  type OpenApiDocument,
  type OperationEntry,
  type RequestBodyObject,
  resolve,
  type ResponseObject,
} from "./document/document.ts";
import { combineChecks } from "./request/parameters.ts";
import { queryReader } from "./request/query.ts";
import { strictness } from "./request/strictness.ts";
import { buildValidator, type Validator } from "./request/validator.ts";
import { type ResponseChecking, buildResponseFilter } from "./response/response-filter.ts";
import type { ResponseFilter } from "./response/respond.ts";

/** How the requests of a document are read, and which responses are checked. */
export interface CompileOptions {
  document: OpenApiDocument;
  bodyLimit: number;
  checking: ResponseChecking;
  fastPath: boolean;
}

/** What it takes to serve an operation's requests, built once. */
export interface CompiledOperation {
  readBody: BodyReader | undefined;
  readQuery: ReturnType<typeof queryReader>;
  checkStrictly: ReturnType<typeof combineChecks>;
  validator: Validator;
  filterResponse: ResponseFilter;
  /** Media types of its successful responses. */
  produces: string[];
  /** Whether one of them may be sent to a client with this `Accept`. */
  isAcceptable: (accept: string) => boolean;
  /** Query parameters that are credentials, and not the operation's own. */
  credentials: string[];
  hasCookies: boolean;
  /** Headers that make a request conditional (RFC 9110, section 13.1), of an operation that changes something and has none of them. */
  unsupportedConditions: string[];
  /** Whether its 200 declares an `ETag`. */
  isTagged: boolean;
}

export async function compileOperation(entry: OperationEntry, options: CompileOptions): Promise<CompiledOperation> {
  const { document, bodyLimit, checking, fastPath } = options;
  const requestBody = resolve<RequestBodyObject | undefined>(document, entry.operation.requestBody);
  const declared = Object.keys(requestBody?.content ?? {});
  const successes = Object.entries(entry.operation.responses ?? {}).filter(([status]) => status.startsWith("2"));
  const contents = successes.flatMap(([, node]) => Object.keys(resolve<ResponseObject>(document, node).content ?? {}));
  const produces = [...new Set(contents)];
  const keyParameters = apiKeyParameters(document, entry);
  return {
    readBody: declared.length > 0 ? bodyReader(declared, requestBody?.required ?? false, bodyLimit) : undefined,
    readQuery: queryReader(document, entry, keyParameters),
    checkStrictly: combineChecks(strictness(document, entry.parameters)),
    validator: await buildValidator(document, entry, { fastPath }),
    filterResponse: await buildResponseFilter(document, entry, checking),
    produces,
    isAcceptable: acceptanceOf(produces),
    credentials: keyParameters.filter(
      (name) => !entry.parameters.some((own) => own.in === "query" && own.name === name),
    ),
    hasCookies: entry.parameters.some((parameter) => parameter.in === "cookie"),
    unsupportedConditions: SAFE.has(entry.method) ? [] : CONDITIONS.filter((name) => !declaresHeader(entry, name)),
    isTagged: entry.method === "get" && declaresTag(document, entry),
  };
}

/** Methods by which nothing changes (RFC 9110, section 9.2.1). */
const SAFE = new Set(["get", "head", "options", "trace"]);
const CONDITIONS = ["If-Match", "If-None-Match"];

function declaresHeader({ parameters }: OperationEntry, name: string): boolean {
  return parameters.some((parameter) => {
    return parameter.in === "header" && parameter.name.toLowerCase() === name.toLowerCase();
  });
}

function declaresTag(document: OpenApiDocument, { operation }: OperationEntry): boolean {
  const { headers = {} } = resolve<ResponseObject>(document, operation.responses?.["200"] ?? {});
  return Object.keys(headers).some((name) => name.toLowerCase() === "etag");
}
