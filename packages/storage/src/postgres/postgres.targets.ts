import type { DatabaseError as PostgresError } from "pg";
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
    if (target.acceptsSettings && (error as PostgresError).code === PROTOCOL_VIOLATION) {
      this.#targets[this.#index] = { ...target, acceptsSettings: false };
    } else {
      this.#index = (this.#index + 1) % this.length;
    }
  }
}

/** In milliseconds: when the server ends a statement, its wait for a locked row, and an idle transaction. 0 is no limit. */
const DEFAULTS = { statement_timeout: 4_000, lock_timeout: 2_000, idle_in_transaction_session_timeout: 4_000 };

/** The limits that the server enforces, by the names of its settings. */
export type Limits = Readonly<Record<keyof typeof DEFAULTS, number>>;

/** Splits a URL into the limits that it sets, with defaults for the others, and the URL without them. */
export function limitsOf(url: string): { limits: Limits; rest: string } {
  const [before, query = ""] = url.split(/\?(.*)/s, 2) as [string, string?];
  const parameters = new URLSearchParams(query);
  const limits = Object.entries(DEFAULTS).map(([name, value]) => [name, Number(parameters.get(name) ?? value)]);
  for (const name of Object.keys(DEFAULTS)) parameters.delete(name);
  return {
    limits: Object.fromEntries(limits) as Limits,
    rest: parameters.size > 0 ? `${before}?${parameters.toString()}` : before,
  };
}

/** Returns statements that set the limits until the end of the transaction. */
export function setLocally(limits: Limits): string {
  return Object.entries(limits)
    .map(([name, value]) => `set local ${name} = ${value}`)
    .join("; ");
}
