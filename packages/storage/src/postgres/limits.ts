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
