import type { Request, Response } from "express";
import { problemContexts, type Operation } from "./operation.ts";
import { Problem, type ProblemFormat, problemResponse } from "./problem.ts";
import { isNotModified } from "./response/conditions.ts";
import type { Headers } from "./response/handler-response.ts";
import { type EncodedResponse, encodeResponse, type OperationResult } from "./response/respond.ts";
import { StreamedResponse } from "./response/streamed-response.ts";
import { controllerOf, type Exchange, type Road, serve } from "./road.ts";

/** The facts of a request whose response has ended. */
export interface ResponseFacts {
  request: Request;
  /** Undefined if the request belongs to no operation. */
  operationId: string | undefined;
  method: string;
  /** The path template below the mount point, as in the document. Undefined for an unknown path. */
  path: string | undefined;
  status: number;
  /** Milliseconds since the request reached `implement`. */
  duration: number;
  /** The bytes sent, headers included. */
  bytes: number;
  /** False if the connection was closed before the end. */
  isComplete: boolean;
}

export type OnResponse = (facts: ResponseFacts) => void;

/**
 * Express's `next`, which ignores the second argument. Other hosts respond by it. It is missing if writing has failed. Without an error,
 * the request is passed on.
 */
export type Next = (error?: unknown, write?: (problem: Problem) => void) => void;

/** Returns the Express handler that serves each request, and writes the result. */
export function expressHandler(
  road: Road,
  operations: Operation[],
  problemFormat: ProblemFormat,
  onResponse: OnResponse | undefined,
) {
  const contextOf = problemContexts(operations);
  return (request: Request, response: Response, next: Next): void => {
    const exchange = exchangeOf(request, response);
    const write = (result: OperationResult): void => {
      if (result instanceof StreamedResponse) {
        const { streams } = exchange.operation!.options;
        const sending = {
          announce: (status: number, headers: Headers) => withDeprecation(status, headers, exchange),
          abort: (reason: unknown) => controllerOf(exchange).abort(reason),
        };
        streams.send(request, response, result, sending).catch(fail).catch(next);
      } else if (!(result instanceof Problem)) send(exchange, result);
      else if (response.headersSent) response.destroy();
      else {
        const { status, headers } = result;
        const { operation, route } = exchange;
        const context = operation?.problemContext(status) ?? contextOf(status, route);
        const written = problemResponse(result, problemFormat, context);
        send(exchange, encodeResponse({ status, headers, ...written }));
      }
    };
    const fail = (error: unknown): void => {
      if (error instanceof Problem) write(error);
      // Express does not treat `undefined`, `null`, "route" and "router" as errors.
      else if (error instanceof Error) next(error, write);
      else {
        const message = "The application threw a value that is not an Error. `cause` is that value.";
        next(new Error(message, { cause: error }), write);
      }
    };
    const report = onResponse && reporter(exchange, onResponse);
    try {
      const result = serve(road, exchange);
      if (result !== undefined && report !== undefined) response.once("close", report);
      if (result instanceof Promise) result.then(write).catch(fail).catch(next);
      else if (result === undefined) next(undefined, write);
      else write(result);
    } catch (error) {
      if (report !== undefined) response.once("close", report);
      fail(error);
    }
  };
}

/** Returns a function that reports the response of a request, once it has ended. */
function reporter(exchange: Exchange, onResponse: OnResponse): () => void {
  const { request, response } = exchange;
  const { method, socket } = request;
  const began = performance.now();
  const sentBefore = socket.bytesWritten;
  return () => {
    const { operation, route } = exchange;
    const [anyOperation] = route?.values() ?? [];
    try {
      onResponse({
        request,
        operationId: operation?.id,
        method,
        path: anyOperation?.entry.path,
        status: response.statusCode,
        duration: performance.now() - began,
        bytes: socket.bytesWritten - sentBefore,
        isComplete: response.writableFinished,
      });
    } catch (error) {
      process.emitWarning(error instanceof Error ? error : String(error));
    }
  };
}

/** The fields that stages add are there from the start, because adding them later takes longer. */
function exchangeOf(request: Request, response: Response): Exchange {
  return {
    request,
    response,
    locals: response.locals,
    route: undefined,
    operation: undefined,
    values: [],
    admission: undefined,
    compiled: undefined,
    parameters: undefined,
    body: undefined,
    controller: undefined,
  };
}

/**
 * Writes a response. HEAD gets the headers of GET with its length, and no body (RFC 9110, section 9.3.2). A GET or HEAD
 * whose `If-None-Match` names the `ETag` of a 200 gets 304 (section 15.4.5).
 */
function send(exchange: Exchange, { status, headers, payload }: EncodedResponse): void {
  const { request, response } = exchange;
  const tag = headers["ETag"] as string | undefined;
  const written = withDeprecation(status, headers, exchange);
  const condition = request.headers["if-none-match"];
  const isRead = request.method === "GET" || request.method === "HEAD";
  if (condition !== undefined && isRead && status === 200 && tag !== undefined && isNotModified(condition, tag)) {
    const { "Content-Type": _, "Content-Length": __, ...others } = written;
    response.writeHead(304, others).end();
    return;
  }
  response.writeHead(status, written);
  if (payload === undefined || request.method === "HEAD") response.end();
  else response.end(payload);
}

/** Adds the headers that announce the deprecation of an operation to those of a 2xx, 304 or 404. Other errors have none. */
function withDeprecation(status: number, headers: Headers, exchange: Exchange): Headers {
  const isAnnounced = (status >= 200 && status < 300) || status === 304 || status === 404;
  if (!isAnnounced || exchange.operation?.deprecation === undefined) return headers;
  const added = deprecationHeaders(exchange.request, exchange.operation, exchange.values);
  const name = Object.keys(headers).find((candidate) => candidate.toLowerCase() === "link");
  if (added["Link"] === undefined || name === undefined) return { ...added, ...headers };
  // The two `Link` headers are combined (RFC 8288, section 3.5). Other headers of the handler take precedence.
  const { Link, ...others } = added;
  return { ...others, ...headers, [name]: [Link, headers[name]!].flat().join(", ") };
}

function deprecationHeaders(
  { baseUrl }: Request,
  { deprecation, names }: Operation,
  values: string[],
): Record<string, string> {
  const { headers, successorPath } = deprecation!;
  if (successorPath === undefined) return headers;
  const target = successorPath
    .replace(/\{([^}]+)\}/g, (_, name: string) => values[names.indexOf(name)]!)
    .replace(/[<>"]/g, encodeURIComponent);
  return { ...headers, Link: `<${baseUrl}${target}>; rel="successor-version"` };
}
