import { once } from "node:events";
import { Readable } from "node:stream";
import type busboy from "busboy";
import { expectReadable, malformedMultipart, multipartParser } from "../request/form.ts";
import { type BodyLimits, fieldsTooLarge, fileTooLarge, tooManyParts } from "../request/limits.ts";
import type { Problem } from "../problem.ts";
import type { BodyStream } from "./request-stream.ts";

/** A part as it arrives: a text, or the bytes of a file. */
export type ReceivedPart = { name: string; contentType: string } & (
  | { text: string; file?: undefined }
  | { file: { name: string; stream: FileStream }; text?: undefined }
);

/** Divides a `multipart/form-data` body (RFC 7578) into its parts, while it arrives. */
export class MultipartStream {
  readonly #body: BodyStream;
  readonly #limits: BodyLimits;
  readonly #chunks: AsyncIterator<Buffer>;
  readonly #parser: busboy.Busboy;
  /** The parts that have been parsed, but not yet requested: those of one chunk at most. */
  readonly #parts: ReceivedPart[] = [];
  #count = 0;
  #feeding: Promise<void> | undefined;
  #isDone = false;

  constructor(body: BodyStream, contentType: string, limits: BodyLimits) {
    this.#body = body;
    this.#limits = limits;
    this.#parser = this.#parserOf(contentType);
    this.#chunks = body[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
  }

  /**
   * Returns the parts in turn. The bytes of a file are dropped as soon as the next part is requested. Fails with the
   * `Problem` of a malformed body, or of a limit. The body is read no further once the iteration has ended early.
   */
  async *parts(): AsyncGenerator<ReceivedPart, void> {
    let part: ReceivedPart | undefined;
    try {
      for (;;) {
        while (this.#parts.length === 0 && !this.#isDone) await this.#feed();
        part = this.#parts.shift();
        if (part === undefined) return;
        yield part;
        part.file?.stream.leave();
      }
    } finally {
      part?.file?.stream.leave();
    }
  }

  /** Ends the body with an error. */
  fail(error: Error): void {
    this.#body.fail(error);
  }

  /** Parses the next chunk of the body. */
  #feed(): Promise<void> {
    this.#feeding ??= this.#parseNext().finally(() => (this.#feeding = undefined));
    return this.#feeding;
  }

  async #parseNext(): Promise<void> {
    const { value: chunk, done } = await this.#chunks.next();
    if (done === true) {
      await once(this.#parser.end(), "close").catch(() => {}); // `fail` has the error
      this.#isDone = true;
    } else await new Promise<void>((parsed) => this.#parser.write(chunk, () => parsed()));
    if (this.#body.failure !== undefined) throw this.#body.failure;
  }

  #parserOf(contentType: string): busboy.Busboy {
    const { fieldLimit } = this.#limits;
    const parser = multipartParser(contentType, fieldLimit);
    parser.on("error", () => this.fail(malformedMultipart()));
    parser.on("field", (name, text, { mimeType, valueTruncated }) => {
      if (valueTruncated) this.fail(fieldsTooLarge(fieldLimit));
      else this.#accept(name, text, () => ({ name, text, contentType: mimeType }));
    });
    parser.on("file", (name, source, { filename = "", mimeType }) => {
      source.on("error", () => {}).resume(); // the parser reports errors
      this.#accept(name, source, () => ({
        name,
        contentType: mimeType,
        file: { name: filename, stream: this.#fileStream(name, source) },
      }));
    });
    return parser;
  }

  #accept(name: string, content: unknown, partOf: () => ReceivedPart): void {
    try {
      if (++this.#count > this.#limits.maxParts) throw tooManyParts(this.#limits.maxParts);
      expectReadable(name, content);
      this.#parts.push(partOf());
    } catch (problem) {
      this.fail(problem as Problem);
    }
  }

  #fileStream(name: string, source: Readable): FileStream {
    const { fileLimit } = this.#limits;
    let size = 0;
    const stream = new FileStream(name, () => this.#feed());
    source.on("data", (chunk: Buffer) => {
      size += chunk.length;
      if (size <= fileLimit) {
        stream.add(chunk);
        return;
      }
      const problem = fileTooLarge(name, fileLimit);
      stream.destroy(problem);
      this.fail(problem);
    });
    source.on("end", () => stream.add(null));
    return stream;
  }
}

/** The bytes of a file, while they arrive. */
class FileStream extends Readable {
  readonly #name: string;
  readonly #feed: () => Promise<void>;
  #needsMore = false;
  #isFeeding = false;
  /** Unknown until the first bytes or the end have arrived. */
  #isEmpty: boolean | undefined;

  constructor(name: string, feed: () => Promise<void>) {
    super();
    this.#name = name;
    this.#feed = feed;
    this.on("error", () => {}); // the client may break off before the handler listens
  }

  override _read(): void {
    this.#needsMore = true;
    if (!this.#isFeeding) void this.#feedUntilFull();
  }

  async #feedUntilFull(): Promise<void> {
    this.#isFeeding = true;
    try {
      while (this.#needsMore && !this.destroyed) await this.#feed();
    } catch (error) {
      this.destroy(error as Error);
    } finally {
      this.#isFeeding = false;
    }
  }

  /** Resolves to whether the file has no bytes. Reads the body no further than needed. Fails if the body does. */
  async isEmpty(): Promise<boolean> {
    while (this.#isEmpty === undefined) await this.#feed();
    return this.#isEmpty;
  }

  /** Adds bytes, or ends the file. */
  add(chunk: Buffer | null): void {
    this.#isEmpty ??= chunk === null;
    if (!this.destroyed) this.#needsMore = this.push(chunk);
  }

  /** Ends the file, because its turn is over. */
  leave(): void {
    if (!this.readableEnded)
      this.destroy(new Error(`The file of "${this.#name}" was left for the next part. Read it to its end first.`));
  }
}
