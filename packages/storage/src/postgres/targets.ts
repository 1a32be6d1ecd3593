import type { DatabaseError } from "pg";
import { hostUrlsOf } from "../url.ts";

/** One host to connect to. */
export interface Target {
  readonly url: string;
  /** Whether the host accepts settings at the start of a connection. PgBouncer rejects them. */
  readonly acceptsSettings: boolean;
}

/** The error code of a pooler that does not accept a setting at the start of a connection. */
const PROTOCOL_VIOLATION = "08P01";

/** The hosts of a URL. Connections go to `current`. After an error, `replace` chooses the next one, so that each is tried in turn. */
export class Targets {
  /** Whether a host may be used only if it accepts writes, as `target_session_attrs=read-write` requires. */
  readonly mustBeWritable: boolean;
  readonly #targets: Target[];
  #index = 0;

  constructor(url: string) {
    this.#targets = hostUrlsOf(url).map((one) => ({ url: one, acceptsSettings: true }));
    this.mustBeWritable = this.length > 1 || URL.parse(url)?.searchParams.has("target_session_attrs") === true;
  }

  get length(): number {
    return this.#targets.length;
  }

  get current(): Target {
    return this.#targets[this.#index]!;
  }

  /** Replaces the current target after an error, unless another connection has replaced it. */
  replace(target: Target, error: Error): void {
    if (target !== this.current) return;
    if (target.acceptsSettings && (error as DatabaseError).code === PROTOCOL_VIOLATION) {
      this.#targets[this.#index] = { ...target, acceptsSettings: false };
    } else {
      this.#index = (this.#index + 1) % this.length;
    }
  }
}
