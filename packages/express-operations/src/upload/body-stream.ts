import type { IncomingMessage } from "node:http";
import { Readable } from "node:stream";
import type { Request, Response } from "express";
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

  /** Whether the client has broken off. */
  get isBrokenOff(): boolean {
    return this.#request.destroyed && !this.#request.readableEnded;
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
