/** The consequence of a change for the users of the contract. */
export type Impact = "breaking" | "additive" | "documentation";

/** Every impact, the most severe first. */
export const IMPACTS = ["breaking", "additive", "documentation"] as const satisfies Impact[];

/** The direction of a value: from a client to the service, or back. */
export type Direction = "request" | "response";

/** The effect of a change on the set of valid values. A change that both widens and narrows it, or may do so, replaces it. */
export type Effect = "widens" | "narrows" | "replaces";

/** An impact, with the reason as a sentence. */
export interface Rating {
  impact: Impact;
  because: string;
}

/** The compatibility policy: the service accepts every request that clients send today, and clients understand every response. */
export const RATINGS: Record<Direction, Record<Effect, Rating>> = {
  request: {
    widens: { impact: "additive", because: "Widens the request: the service accepts more." },
    narrows: {
      impact: "breaking",
      because: "Narrows the request: the service rejects requests that clients may send today.",
    },
    replaces: {
      impact: "breaking",
      because: "Changes the request: the service may reject requests that clients send today.",
    },
  },
  response: {
    widens: { impact: "breaking", because: "Widens the response: clients may not understand the new values." },
    narrows: { impact: "additive", because: "Narrows the response: the service promises more." },
    replaces: { impact: "breaking", because: "Changes the response: clients may not understand the new values." },
  },
};

/** Returns the most severe impact; undefined for an empty list. */
export function mostSevere(impacts: Impact[]): Impact | undefined {
  return IMPACTS.find((impact) => impacts.includes(impact));
}
