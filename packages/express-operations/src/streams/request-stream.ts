import type { IncomingMessage } from "node:http";
import { Readable } from "node:stream";
import type { Request, Response } from "express";
import { Problem } from "../problem.ts";
import { awaitsContinue, brokenOff, tooLarge } from "../request/announced-body.ts";

const STREAMED = new WeakSet<IncomingMessage>();

/** Whether the body of a request is read by its handler, marked by `streamedBody`, while it arrives. */
export function isBodyStreamed(request: IncomingMessage): boolean {
  return STREAMED.has(request);
}

/** The bytes that are read ahead of the handler. With the default of 65,536, each chunk would stop the connection. */
const BUFFERED = 262_144;

/**
 * The bytes of a request body. Nothing is read before the first read, and nothing while the buffer is full. The stream
 * fails with a `Problem` if the body is larger than the limit or the client breaks off. It ends with the response.
 */
export class BodyStream extends Readable {
  readonly #request: Request;
  readonly #response: Response;
  readonly #limit: number;
  #size = 0;
  #hasBegun = false;
  #failure: Error | undefined;

  constructor(request: Request, response: Response, limit: number) {
    super({ highWaterMark: BUFFERED });
    this.#request = request;
    this.#response = response;
    this.#limit = limit;
    this.on("error", () => {}); // the client may break off before the handler listens
    response.once("close", this.#onResponseClose);
    STREAMED.add(request);
  }

  /** The first error of the body or of its parts. */
  get failure(): Error | undefined {
    return this.#failure;
  }

  /**
   * Calls a handler. If the handler rejects because of a fault of the body, the promise rejects with the `Problem` of that
   * fault. A handler may reject with anything once the client has broken off.
   */
  async withFailure<Result>(handle: () => Result | Promise<Result>): Promise<Result> {
    try {
      return await handle();
    } catch (error) {
      const failure = this.#failure;
      const isBrokenOff = this.#request.destroyed && !this.#request.readableEnded;
      if (failure instanceof Problem && (isBrokenOff || isCausedBy(error, failure))) throw failure;
      throw error;
    }
  }

  /** Ends the stream with an error. */
  fail(error: Error): void {
    this.#failure ??= error;
    this.destroy(error);
  }

  override _read(): void {
    if (!this.#hasBegun) this.#begin();
    this.#request.resume();
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    const request = this.#request;
    request.off("data", this.#onData).off("end", this.#onEnd).off("error", this.#onClose).off("close", this.#onClose);
    this.#response.off("close", this.#onResponseClose);
    if (!request.readableEnded) request.pause();
    done(error);
  }

  #begin(): void {
    const request = this.#request;
    this.#hasBegun = true;
    if (awaitsContinue(request) && !this.#response.headersSent) this.#response.writeContinue();
    request.on("data", this.#onData).on("end", this.#onEnd).on("error", this.#onClose).on("close", this.#onClose);
    if (request.destroyed) this.#onClose();
  }

  readonly #onData = (chunk: Buffer): void => {
    this.#size += chunk.length;
    if (this.#size > this.#limit) this.fail(tooLarge(this.#limit));
    else if (!this.push(chunk)) this.#request.pause();
  };

  readonly #onEnd = (): void => {
    this.push(null);
  };

  readonly #onClose = (): void => {
    if (!this.#request.readableEnded) this.fail(brokenOff());
  };

  readonly #onResponseClose = (): void => {
    if (!this.#response.writableFinished) this.fail(brokenOff());
    else this.fail(new Error("The response was sent before the request body was read. Read it before you return."));
  };
}

/** The most causes of an error that are examined. */
const MAX_CAUSES = 10;

function isCausedBy(error: unknown, cause: Error): boolean {
  let current = error;
  for (let count = 0; count < MAX_CAUSES && current instanceof Error; count++) {
    if (current === cause) return true;
    current = current.cause;
  }
  return false;
}

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
