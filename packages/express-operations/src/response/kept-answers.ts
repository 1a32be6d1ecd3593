import type { Request } from "express";
import type { OperationEntry } from "../document/document.ts";
import { Problem } from "../problem.ts";
import type { Message, Outcome } from "./respond.ts";

/** How responses of cacheable handlers are kept, to be sent again without asking the handler. */
export interface CacheOptions {
  /**
   * A number that differs from before whenever the data may have changed since, as of a time after the request arrived;
   * undefined when that cannot be told. What was kept under another number is forgotten.
   */
  version: (request: Request) => number | undefined;
  /** At most so many bytes are kept. Default: 16 MiB. */
  bytes?: number;
}

/** What an entry takes beside its key and its payload, roughly: its headers, and its place in the map. */
const OVERHEAD = 1_024;

/** The answers kept for the operations of a document. */
export class KeptAnswers {
  readonly #versionOf: CacheOptions["version"];
  readonly #limit: number;
  readonly #messages = new Map<string, Message>();
  /** Those that are not made yet. */
  readonly #making = new Map<string, { version: number; answer: Promise<Outcome> }>();
  #bytes = 0;
  #version: number | undefined;

  constructor({ version, bytes = 16 * 1024 * 1024 }: CacheOptions) {
    this.#versionOf = version;
    this.#limit = bytes;
  }

  /** The version under which this request is answered; undefined when nothing may be kept. */
  version(request: Request): number | undefined {
    const version = this.#versionOf(request);
    if (version !== this.#version) {
      this.#messages.clear();
      this.#bytes = 0;
      this.#version = version;
    }
    return version;
  }

  find(key: string): Message | undefined {
    return this.#messages.get(key);
  }

  /**
   * Makes an answer and keeps it. Who asks for the same meanwhile, under the same version, waits for it, and makes another
   * only when it was not kept.
   */
  async make(key: string, version: number, make: () => Promise<Outcome>): Promise<Outcome> {
    const begun = this.#making.get(key);
    if (begun?.version === version) {
      await begun.answer.catch(() => {}); // why there is none, each says for itself
      return (version === this.#version ? this.find(key) : undefined) ?? make();
    }
    const answer = make();
    const making = { version, answer };
    this.#making.set(key, making);
    try {
      const outcome = await answer;
      this.#keep(key, version, outcome);
      return outcome;
    } finally {
      if (this.#making.get(key) === making) this.#making.delete(key);
    }
  }

  /** Keeps an answer that was begun under a version, unless another has come since. The oldest make room. */
  #keep(key: string, version: number, outcome: Outcome): void {
    if (version !== this.#version || outcome instanceof Problem || outcome.status !== 200) return;
    const size = sizeOf(key, outcome);
    if (size > this.#limit || this.#messages.has(key)) return;
    for (const [oldest, kept] of this.#messages) {
      if (this.#bytes + size <= this.#limit) break;
      this.#messages.delete(oldest);
      this.#bytes -= sizeOf(oldest, kept);
    }
    this.#messages.set(key, outcome);
    this.#bytes += size;
  }
}

/**
 * Throws when the responses of an operation may depend on more than its URL. An optional `If-None-Match` decides only whether
 * the response is sent again or is a 304; with a cached response it is not validated.
 */
export function expectCacheable(entry: OperationEntry): void {
  const others = entry.parameters.filter(({ in: place }) => place === "header" || place === "cookie");
  const depended = others.filter(({ name, required }) => !/^if-none-match$/i.test(name) || required === true);
  if (entry.method !== "get" || depended.length > 0 || entry.operation.requestBody !== undefined) {
    throw new Error(
      `The handler of "${entry.id}" cannot be cacheable: it is no GET operation that reads path and query alone.`,
    );
  }
}

function sizeOf(key: string, { payload = "" }: Message): number {
  const length = typeof payload === "string" ? payload.length * 2 : payload.byteLength;
  return OVERHEAD + key.length * 2 + length;
}
