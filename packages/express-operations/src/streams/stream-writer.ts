import type { Response } from "express";
import type { ChunkSource } from "./chunk-source.ts";
import type { Headers } from "../response/handler-response.ts";
import { KEEP_ALIVE } from "../response/server-sent-events.ts";
import type { ItemWriter } from "../response/streamed-response.ts";

/** How responses are sent while they are produced. */
export interface StreamOptions {
  /**
   * The time in milliseconds after which status and headers are sent without a first chunk. An earlier error gets a status
   * of its own. Default: 1,000.
   */
  headersAfter?: number;
  /** The time in milliseconds without an event after which an event stream gets a comment. 0 disables it. Default: 15,000. */
  keepAlive?: number;
  /** Ends event streams after their current event when it aborts. Their handlers' `signal` aborts with the same reason. */
  shutdown?: AbortSignal;
}

/** The options with their defaults. */
export type StreamSettings = Required<Omit<StreamOptions, "shutdown">> & Pick<StreamOptions, "shutdown">;

/** Items that are available at once are written together, up to this many characters. */
const BATCH = 16_384;

/** Writes one body. It asks the source for a chunk only if the client has room for one. */
export class StreamWriter {
  readonly #response: Response;
  readonly #source: ChunkSource;
  readonly #items: ItemWriter | undefined;
  /** Aborts the signal of the handler. */
  readonly #abort: (reason: unknown) => void;
  readonly #settings: StreamSettings;
  readonly #writeHead: () => void;
  /** The length that the head announces. */
  readonly #length: number | undefined;
  #sent = 0;
  /** Items that are written before the event loop continues. */
  #batch = "";
  /** Whether the client has to read before the next chunk. Middlewares such as `compression` have a buffer of their own. */
  #isFull = false;
  #headTimer: NodeJS.Timeout | undefined;
  #keepAlive: NodeJS.Timeout | undefined;
  /** Resumes after the client has read, or has gone. */
  #resume: (() => void) | undefined;
  #isReading = false;
  /** Whether the source has returned its last chunk or has failed. */
  #isExhausted = false;
  /** Whether no further chunk is sent: the client has gone, or the service stops. */
  #isOver = false;
  #stopping: Promise<unknown> | undefined;

  constructor(
    response: Response,
    { status, headers }: { status: number; headers: Headers },
    { source, items, abort }: { source: ChunkSource; items: ItemWriter | undefined; abort: (reason: unknown) => void },
    settings: StreamSettings,
  ) {
    this.#response = response;
    this.#source = source;
    this.#items = items;
    this.#abort = abort;
    this.#settings = settings;
    this.#writeHead = () => void response.writeHead(status, headers);
    const length = Object.keys(headers).find((name) => name.toLowerCase() === "content-length");
    this.#length = length === undefined ? undefined : Number(headers[length]);
  }

  /** Resolves once the response has ended or the client has gone, and the source is stopped. Rejects with its error. */
  async send(): Promise<void> {
    this.#listen();
    try {
      await this.#copy();
      if (!this.#isOver) this.#end();
      await this.#stopping;
    } catch (error) {
      this.#isExhausted ||= this.#isReading;
      if (this.#isOver && this.#isConsequence(error)) return;
      void this.#stop()?.catch(() => {}); // the first error is reported
      this.#flush();
      if (this.#response.headersSent) await this.#breakOff();
      throw error;
    } finally {
      this.#release();
    }
  }

  async #copy(): Promise<void> {
    if (this.#response.destroyed) this.#onClose();
    while (!this.#isOver) {
      this.#isReading = true;
      const { done, value } = await this.#source.next();
      this.#isReading = false;
      this.#isExhausted = done === true;
      if (done === true || this.#isOver) break;
      const isItem = this.#items !== undefined && !this.#source.isRaw(value);
      const chunk = isItem ? this.#items.write(value) : bytesOf(value);
      if (this.#response.destroyed) return this.#onClose();
      this.#write(chunk, isItem);
      if (this.#isFull) await new Promise<void>((resume) => (this.#resume = resume));
      if (this.#items?.isEventStream && this.#settings.shutdown?.aborted) this.#endEarly();
    }
  }

  #write(chunk: string | Uint8Array, isItem: boolean): void {
    if (this.#length !== undefined) {
      this.#sent += Buffer.byteLength(chunk);
      if (this.#sent > this.#length)
        throw new RangeError(`The body is longer than its Content-Length of ${this.#length} bytes.`);
    }
    if (!this.#response.headersSent) this.#writeHead();
    if (isItem) this.#addToBatch(chunk as string); // every item is encoded as text
    else {
      this.#stopComments(); // bytes may end within an event, which a comment would change
      this.#flush();
      this.#isFull = !this.#response.write(chunk);
    }
  }

  #addToBatch(item: string): void {
    if (this.#batch === "") process.nextTick(this.#flush);
    this.#batch += item;
    if (this.#batch.length >= BATCH) this.#flush();
  }

  readonly #flush = (): void => {
    if (this.#batch === "") return;
    const batch = this.#batch;
    this.#batch = "";
    this.#keepAlive?.refresh();
    if (!this.#response.destroyed) this.#isFull = !this.#response.write(batch);
  };

  #end(): void {
    if (this.#length !== undefined && this.#sent < this.#length)
      throw new RangeError(`The body ended after ${this.#sent} bytes of its Content-Length of ${this.#length}.`);
    this.#finish();
  }

  #finish(): void {
    if (!this.#response.headersSent) this.#writeHead();
    this.#flush();
    this.#response.end();
  }

  #listen(): void {
    const { headersAfter, keepAlive, shutdown } = this.#settings;
    this.#response.on("drain", this.#onDrain).once("close", this.#onClose);
    this.#headTimer = setTimeout(this.#flushHead, headersAfter);
    if (this.#items?.isEventStream !== true) return;
    shutdown?.addEventListener("abort", this.#onShutdown);
    if (keepAlive > 0) this.#keepAlive = setTimeout(this.#sendComment, keepAlive);
  }

  readonly #onDrain = (): void => {
    this.#isFull = false;
    this.#resume?.();
    this.#resume = undefined;
  };

  /** Stops the source if the client has gone before the end of the response. */
  readonly #onClose = (): void => {
    if (!this.#response.writableEnded) this.#isOver = true;
    void this.#stop()?.catch(() => {}); // `send` reports the error
    this.#release();
    this.#onDrain();
  };

  /** Ends an event stream after the current event. Clients connect again, to a process that still accepts them. */
  readonly #onShutdown = (): void => {
    this.#abort(this.#settings.shutdown!.reason);
    if (this.#isReading) this.#endEarly();
  };

  #endEarly(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    void this.#stop()?.catch(() => {}); // `send` reports the error
    this.#finish();
  }

  readonly #flushHead = (): void => {
    if (this.#response.headersSent) return;
    this.#writeHead();
    this.#response.flushHeaders();
  };

  readonly #sendComment = (): void => {
    if (this.#response.headersSent && !this.#isFull) this.#response.write(KEEP_ALIVE);
    this.#keepAlive?.refresh();
  };

  #stop(): Promise<unknown> | undefined {
    if (!this.#isExhausted) this.#stopping ??= this.#source.stop();
    return this.#stopping;
  }

  #stopComments(): void {
    clearTimeout(this.#keepAlive);
    this.#keepAlive = undefined;
  }

  #release(): void {
    clearTimeout(this.#headTimer);
    this.#stopComments();
    this.#response.off("drain", this.#onDrain).off("close", this.#onClose);
    this.#settings.shutdown?.removeEventListener("abort", this.#onShutdown);
  }

  /**
   * Closes the connection after the written chunks, so that the client sees a broken response. Without length and chunked
   * coding, only a reset shows it.
   */
  async #breakOff(): Promise<void> {
    await new Promise((written) => setImmediate(written));
    try {
      if (this.#length === undefined && !this.#response.chunkedEncoding) this.#response.socket?.resetAndDestroy();
    } catch {
      // Node resets TCP connections only, not TLS.
    }
    this.#response.destroy();
  }

  /** Whether an error only says that the source was stopped. */
  #isConsequence(error: unknown): boolean {
    if (error === this.#settings.shutdown?.reason) return error !== undefined;
    const { name, code } = error as { name?: string; code?: string };
    return name === "AbortError" || code === "ERR_STREAM_PREMATURE_CLOSE";
  }
}

/** Returns a chunk of a body whose media type has no items. */
function bytesOf(chunk: unknown): string | Uint8Array {
  if (typeof chunk === "string" || chunk instanceof Uint8Array) return chunk;
  throw new TypeError(
    `The stream of a body contains ${chunk === null ? "null" : `a value of type ${typeof chunk}`}. It has to contain strings or bytes.`,
  );
}
