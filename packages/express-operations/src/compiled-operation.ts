import type { Request, Response } from "express";
import { acceptanceOf } from "./request/accept.ts";
import { type BodyReader, bodyReader, type VerifyBody } from "./request/body.ts";
import {
  apiKeyParameters,
  type MediaTypeObject,
  type OpenApiDocument,
  type OperationEntry,
  type RequestBodyObject,
  resolve,
  type ResponseObject,
  isBodyRequired,
  essenceOf,
} from "openapi-document";
import { type BodyLimits, limitsOf, streamedLimitsOf } from "./request/limits.ts";
import { type ParseRequest, requestConversion } from "./conversions.ts";
import { convertsNumbers, extensionsOf, withNumbers } from "./formats.ts";
import { parametersReader } from "./request/parameters.ts";
import { buildValidators, faultFinder, type FindFaults, type Validators } from "./eov/validator.ts";
import { type ResponseChecking, buildResponseFilter } from "./response/response-filter.ts";
import type { Headers } from "./response/handler-response.ts";
import type { ResponseFilter } from "./response/respond.ts";
import { isTagged } from "./response/response-tagger.ts";
import type { StreamedResponse } from "./response/streamed-response.ts";

/** Receives and sends bodies piece by piece. Stages name such bodies, and neither read nor write them. */
export interface Streams {
  /** Returns the reader of the bodies of a handler with `streamsBody`. It checks the headers and reads nothing: the handler does. */
  bodyReader: (
    document: OpenApiDocument,
    entry: OperationEntry,
    content: Record<string, MediaTypeObject>,
    options: { required: boolean; limits: BodyLimits; vendorTypes: boolean; validators: Validators },
  ) => BodyReader;
  /** Prepares the response to a request whose body is not read to its end. */
  leaveUnread: (request: Request, response: Response) => void;
  /**
   * Sends a response while its body is produced, with the headers that `announce` returns. Calls `abort` if it ends the body early.
   * Rejects with the error of the body.
   */
  send: (
    request: Request,
    response: Response,
    streamed: StreamedResponse,
    options: { announce: (status: number, headers: Headers) => Headers; abort: (reason: unknown) => void },
  ) => Promise<void>;
}

/** The settings of a document that affect the compilation of its operations. */
export interface CompileOptions {
  document: OpenApiDocument;
  limits: Partial<BodyLimits>;
  /** Whether a vendor type stands for the type of its suffix. */
  vendorTypes: boolean;
  /** Whether bodies may have been parsed by middlewares. */
  parsedBodies: boolean;
  /** Verifies the bytes of each body, even of a missing one, before they are parsed. */
  verifyBody: VerifyBody | undefined;
  checking: ResponseChecking;
  /** Whether undeclared query parameters are dropped. */
  ignoresUnknownQuery: boolean;
  streams: Streams;
}

/** The readers, validators and filters of one operation. They are built once. */
export interface CompiledOperation {
  readBody: BodyReader | undefined;
  readParameters: ReturnType<typeof parametersReader>;
  /** Reads the parameters with numbers as texts. Undefined if no format converts them. */
  readTexts: ReturnType<typeof parametersReader> | undefined;
  /** Converts the values of a valid request. */
  parse: ParseRequest | undefined;
  /** The declared names of headers. */
  headerNames: string[];
  validators: Validators;
  findFaults: FindFaults;
  filterResponse: ResponseFilter;
  /** The media types of the successful responses. */
  produces: string[];
  isAcceptable: (accept: string) => boolean;
  /**
   * Headers that make a request conditional (RFC 9110, section 13.1) and that an unsafe operation does not declare.
   * Requests with such a header are rejected.
   */
  unsupportedConditions: string[];
  /** Whether the operation is a GET whose 200 declares an `ETag`. */
  isTagged: boolean;
  /** Whether a response is an event stream. */
  producesEvents: boolean;
}

/** Compiles an operation. With `streamed` limits, the handler reads the request body. */
export function compileOperation(
  entry: OperationEntry,
  options: CompileOptions,
  streamed: Partial<BodyLimits> | undefined,
): CompiledOperation {
  const { document, limits, vendorTypes, parsedBodies, verifyBody, checking, ignoresUnknownQuery, streams } = options;
  const requestBody = resolve<RequestBodyObject | undefined>(document, entry.operation.requestBody);
  const { content = {} } = requestBody ?? {};
  const required = isBodyRequired(entry, requestBody);
  const successes = Object.entries(entry.operation.responses ?? {}).filter(([status]) => status.startsWith("2"));
  const contents = successes.flatMap(([, node]) => Object.keys(resolve<ResponseObject>(document, node).content ?? {}));
  const produces = [...new Set(contents)];
  const headerNames = entry.parameters.flatMap(({ in: place, name }) => (place === "header" ? name : []));
  const isDeclared = (header: string) => headerNames.some((name) => name.toLowerCase() === header);
  const validators = buildValidators(document, entry);
  const reading = { required, vendorTypes };
  const readerOf = (): BodyReader =>
    streamed === undefined
      ? bodyReader(document, content, { ...reading, limits: limitsOf(limits), parsedBodies, verifyBody })
      : streams.bodyReader(document, entry, content, {
          ...reading,
          limits: streamedLimitsOf(limits, streamed),
          validators,
        });
  const readerFor = (own: OpenApiDocument) =>
    parametersReader(own, entry, apiKeyParameters(document, entry), ignoresUnknownQuery);
  const hasNumbers = entry.parameters.some(({ schema }) => convertsNumbers(document, schema));
  return {
    readBody: Object.keys(content).length > 0 ? readerOf() : undefined,
    readParameters: readerFor(hasNumbers ? withNumbers(document, "rounded") : document),
    readTexts: hasNumbers ? readerFor(withNumbers(document, "texts")) : undefined,
    parse: extensionsOf(document) && requestConversion(document, entry, streamed === undefined ? content : {}),
    headerNames,
    validators,
    findFaults: faultFinder(document, entry),
    filterResponse: buildResponseFilter(document, entry, checking),
    produces,
    isAcceptable: acceptanceOf(produces, vendorTypes),
    unsupportedConditions: SAFE.has(entry.method) ? [] : CONDITIONS.filter((name) => !isDeclared(name.toLowerCase())),
    producesEvents: produces.some((type) => essenceOf(type) === "text/event-stream"),
    isTagged: isTagged(document, entry),
  };
}

/** Safe methods (RFC 9110, section 9.2.1, and the IANA registry). */
const SAFE = new Set(["get", "head", "options", "trace", "query", "propfind", "report", "search"]);
const CONDITIONS = ["If-Match", "If-None-Match"];
