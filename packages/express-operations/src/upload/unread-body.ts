import type { Request, Response } from "express";

/** A body of at most this many bytes is read to its end, so that the connection can be used again. */
const DRAINED = 65_536;
/** The time in milliseconds in which a client can read the response before the connection is closed. */
const LINGER = 2_000;

/**
 * Prepares the response to a request whose body is not read to its end. A small rest is dropped. Otherwise the response
 * announces `Connection: close` (RFC 9112, section 9.3). After the response, the rest is dropped for a short time
 * before the connection is closed, because a reset could destroy the response on its way (section 9.6).
 */
export function leaveUnread(request: Request, response: Response): void {
  if (request.destroyed) return;
  response.once("close", () => request.resume());
  if (request.complete || response.headersSent) return;
  const { "content-length": length = Infinity } = request.headers;
  if (Number(length) <= DRAINED) return;
  response.setHeader("Connection", "close");
  const { socket } = request;
  socket.destroySoon = () => {
    socket.end();
    const timer = setTimeout(() => socket.destroy(), LINGER);
    socket.once("close", () => clearTimeout(timer));
  };
}
