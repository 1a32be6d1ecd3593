import type { Socket } from "node:net";
import type { NextFunction, Request, Response } from "express";
import { problem } from "../problems.ts";
import { isAuthority } from "./origin.ts";

/** How long the target of a request may be, its path with its query, in characters. Node bounds it with the headers, at 16 KiB. */
export const MAX_TARGET = 8_192;

const NOT_IN_HTTP_1_0 = "HTTP/1.0 has no Transfer-Encoding. Send a Content-Length, or HTTP/1.1.";

/** Connections of which nobody can tell where the next request begins. */
const faultyConnections = new WeakSet<Socket>();

/** Refuses what HTTP forbids in the head of a request, and Node's parser lets through. */
export function checkHead(request: Request, _response: Response, next: NextFunction): void {
  next(framingFault(request) ?? hostFault(request) ?? targetFault(request));
}

/** RFC 9112, section 6.1: the connection is closed, and what follows on it is no request. */
function framingFault({ httpVersion, headers, socket }: Request) {
  if (httpVersion === "1.0" && headers["transfer-encoding"] !== undefined) faultyConnections.add(socket);
  if (!faultyConnections.has(socket)) return undefined;
  return problem("invalid_request", { Connection: "close" }, NOT_IN_HTTP_1_0);
}

/** RFC 9112, section 3.2, asks for this 400, for a Host that is missing or malformed as for two; Node's own has no body. */
function hostFault(request: Request) {
  const count = timesGiven(request, "host");
  const isRight = count === 0 ? request.httpVersion === "1.0" : count === 1 && isAuthority(request.headers.host!);
  return isRight
    ? undefined
    : problem("invalid_request", undefined, "Send one Host header, with the name or address of the service.");
}

function targetFault({ originalUrl }: Request) {
  return originalUrl.length > MAX_TARGET ? problem("uri_too_long") : undefined;
}

/** How often a request has a header. */
function timesGiven({ rawHeaders }: Request, lowerCaseName: string): number {
  let count = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) if (rawHeaders[at]!.toLowerCase() === lowerCaseName) count++;
  return count;
}
