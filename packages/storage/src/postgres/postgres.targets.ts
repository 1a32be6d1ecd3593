import type { DatabaseError as PostgresError } from "pg";
import { hostUrlsOf } from "../url.ts";

/** One host to connect to. */
export interface Target {
  readonly url: string;
  /** Whether the host accepts settings at the start of a connection. PgBouncer rejects them. */
  readonly acceptsSettings: boolean;
}

/** The error code of a start-up message that the server does not accept. */
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
    if (target.acceptsSettings && rejectsSettings(error)) {
      this.#targets[this.#index] = { ...target, acceptsSettings: false };
    } else {
      this.#index = (this.#index + 1) % this.length;
    }
  }
}

function rejectsSettings(error: Error): boolean {
  return (error as PostgresError).code === PROTOCOL_VIOLATION && error.message.includes("startup parameter");
}
