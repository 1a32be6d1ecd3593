import type { Request, Response } from "express";
import { acceptanceOf } from "./request/accept.ts";
import { type BodyReader, bodyReader, expectOneContentType, type ReceivedBody } from "./request/body.ts";
import { type Deprecation, deprecationOf } from "./response/deprecation.ts";
import {
  apiKeyParameters,
  type OpenApiDocument,
  type OperationEntry,
  type ParameterObject,
  parameterNames,
  type RequestBodyObject,
  resolve,
  type ResponseObject,
} from "./document/document.ts";
import { isCacheable } from "./response/cacheable.ts";
import type { KeptAnswers } from "./response/kept-answers.ts";
import { oneOf } from "./lists.ts";
import { cookieHeader, rawParameters, strictness } from "./request/parameters.ts";
import { Problem, refuse } from "./problem.ts";
import { isPromised, whenThere } from "./promised.ts";
import { queryOf, queryReader } from "./request/query.ts";
import { type Checking, type Release, releaseOf } from "./response/release.ts";
import { announcementOf, type Answer, messageOf, type Outcome } from "./response/respond.ts";
import { type Guard, guardOf, type SecurityOptions } from "./security/security.ts";
import type { Subject } from "./request/subject.ts";
import { buildValidator, type Validate } from "./request/validator.ts";

/** A handler as the untyped core calls it. */
export type UntypedHandler = (input: Record<string, unknown>) => Answer | Promise<Answer>;

/** What the operations of a document are served with. */
export interface OperationOptions {
  document: OpenApiDocument;
  security: SecurityOptions<unknown>;
  bodyLimit: number;
  checking: Checking;
  shortcut: boolean;
  context: ((request: Request) => unknown) | undefined;
  /** Answers that need not be made again. */
  answers: KeptAnswers | undefined;
}

/** One operation, ready to be served. What costs is made at its first request and kept. */
export class Operation {
  readonly id: string;
  readonly method: string;
  readonly #entry: OperationEntry;
  readonly #names: string[];
  readonly #handler: UntypedHandler;
  readonly #options: OperationOptions;
  readonly #guard: Guard<unknown>;
  readonly #deprecation: Deprecation | undefined;
  readonly #isKept: boolean;
  #reading: Promise<Reading> | undefined;
  #ready: Reading | undefined;

  constructor(entry: OperationEntry, entries: OperationEntry[], handler: UntypedHandler, options: OperationOptions) {
    this.id = entry.id;
    this.method = entry.method.toUpperCase();
    this.#entry = entry;
    this.#names = parameterNames(entry.path);
    this.#handler = handler;
    this.#options = options;
    this.#guard = guardOf(options.document, entry, options.security);
    this.#deprecation = deprecationOf(entry, entries);
    this.#isKept = isCacheable(handler);
  }

  /** Builds what the first request would build; rejects when the operation's schemas are at fault. */
  async warm(): Promise<void> {
    await this.#read();
  }

  /** The headers that announce its deprecation on 2xx, 304 and 404; undefined for an operation that stays. */
  announcement(request: Request, values: string[]): Record<string, string> | undefined {
    if (this.#deprecation === undefined) return undefined;
    return announcementOf(request, this.#deprecation, (name) => values[this.#names.indexOf(name)]!);
  }

  /**
   * The way of one request: who asks, what is accepted, what is sent, is it valid, and then the handler. Refusals are thrown,
   * or rejected with, but for those that many requests may end in: a throw is dear.
   */
  serve(request: Request, response: Response, values: string[]): Outcome | Promise<Outcome> {
    return whenThere(this.#guard(request), (admitted) => {
      if (admitted instanceof Problem) return admitted;
      return whenThere(this.#ready ?? this.#read(), (reading) => {
        if (!reading.isAcceptable(request.headers.accept || "*/*")) {
          throw refuse(
            406,
            `This operation answers with ${oneOf(reading.produces)}. Name that in Accept, or leave Accept out.`,
          );
        }
        if (request.headers["content-type"] !== undefined) expectOneContentType(request);
        return this.#keptOrMade(request, () => this.#answer(request, response, values, reading, admitted.caller));
      });
    });
  }

  /** The answer that is kept for this request, if there is one, and otherwise what `make` gives. */
  #keptOrMade(request: Request, make: () => Promise<Outcome>): Outcome | Promise<Outcome> {
    const { answers } = this.#options;
    const version = this.#isKept ? answers?.version(request) : undefined;
    if (version === undefined) return make();
    const place = request.baseUrl + request.url;
    return answers!.find(place) ?? answers!.make(place, version, make);
  }

  async #answer(
    request: Request,
    response: Response,
    values: string[],
    reading: Reading,
    caller: unknown,
  ): Promise<Outcome> {
    const search = queryOf(request.url);
    const { declared, undeclared } = reading.readQuery(search);
    const raw = rawParameters(this.#names, values, declared, request.headers, reading.hasCookies);
    const received = reading.readBody?.(request, response);
    const body = isPromised(received) ? await received : received;
    reading.checkStrictly(raw);
    for (const name of reading.credentials) delete raw.query[name];
    const subject: Subject = {
      method: this.method,
      originalUrl: `/?${search}`,
      path: "/",
      headers: { ...raw.headers, ...cookieHeaders(raw.cookies), "content-type": contentTypeFor(body) },
      params: raw.path,
      query: raw.query,
      body: body?.value,
    };
    const verdict = reading.validate(subject);
    const fault = isPromised(verdict) ? await verdict : verdict;
    if (fault !== undefined) return fault;
    const condition = reading.unsupportedConditions.find((name) => request.headers[name.toLowerCase()] !== undefined);
    if (condition !== undefined) {
      return refuse(412, `This operation does not support ${condition}, so it did nothing. Leave the header out.`);
    }
    if (Object.keys(undeclared).length > 0) subject.query = { ...subject.query, ...undeclared };
    const answer = await this.#handler({
      operationId: this.id,
      ...inputOf(this.#entry.parameters, subject),
      contentType: body?.contentType,
      body: subject.body,
      files: subject.files,
      requestPath: request.baseUrl + request.path,
      caller,
      context: this.#options.context?.(request),
    });
    const released = reading.release(answer);
    return messageOf(isPromised(released) ? await released : released, {
      isTagged: reading.isTagged && answer.status === 200,
    });
  }

  /** Made once; a failure is not kept, so that it is reported to each request it breaks. */
  #read(): Promise<Reading> {
    this.#reading ??= readingOf(this.#entry, this.#options).then(
      (reading) => (this.#ready = reading),
      (error: unknown) => {
        this.#reading = undefined;
        throw new Error(`Operation "${this.id}" cannot be validated: its schemas are at fault.`, { cause: error });
      },
    );
    return this.#reading;
  }
}

/** How an operation's requests are read. */
interface Reading {
  readBody: BodyReader | undefined;
  readQuery: ReturnType<typeof queryReader>;
  checkStrictly: ReturnType<typeof strictness>;
  validate: Validate;
  release: Release;
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

async function readingOf(entry: OperationEntry, options: OperationOptions): Promise<Reading> {
  const { document, bodyLimit, checking, shortcut } = options;
  const requestBody = resolve<RequestBodyObject | undefined>(document, entry.operation.requestBody);
  const declared = Object.keys(requestBody?.content ?? {});
  const successes = Object.entries(entry.operation.responses ?? {}).filter(([status]) => status.startsWith("2"));
  const contents = successes.flatMap(([, node]) => Object.keys(resolve<ResponseObject>(document, node).content ?? {}));
  const produces = [...new Set(contents)];
  const keyParameters = apiKeyParameters(document, entry);
  return {
    readBody: declared.length > 0 ? bodyReader(declared, requestBody?.required ?? false, bodyLimit) : undefined,
    readQuery: queryReader(document, entry, keyParameters),
    checkStrictly: strictness(document, entry.parameters),
    validate: await buildValidator(document, entry, { shortcut }),
    release: await releaseOf(document, entry, checking),
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

/** The Content-Type as the validator is to see it: the declared spelling, and the boundary of a multipart body. */
function contentTypeFor(body: ReceivedBody | undefined): string | undefined {
  const boundary = body?.mediaType.boundary;
  return boundary === undefined ? body?.contentType : `${body!.mediaType.essence}; boundary="${boundary}"`;
}

/** The parameters by place, under the names the document declares. */
function inputOf(parameters: ParameterObject[], subject: Subject) {
  const headers: Record<string, unknown> = {};
  const cookies: Record<string, unknown> = {};
  for (const { in: place, name } of parameters) {
    if (place !== "header" && place !== "cookie") continue;
    const value = subject.headers[place === "header" ? name.toLowerCase() : cookieHeader(name)];
    if (value !== undefined) (place === "header" ? headers : cookies)[name] = value;
  }
  return { path: subject.params, query: subject.query, headers, cookies };
}

function cookieHeaders(cookies: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(cookies).map(([name, value]) => [cookieHeader(name), value]));
}
