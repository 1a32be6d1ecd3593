/** What a change means for those who use the contract. */
export type Impact = "breaking" | "additive" | "documentation";

/** From the gravest to the lightest. */
export const GRAVITY = ["breaking", "additive", "documentation"] as const satisfies Impact[];

/** Which way a value travels: from clients to the service, or back. */
export type Direction = "request" | "response";

/** What a change does to the set of values that may travel: one that does both, or cannot be told, replaces it. */
export type Effect = "widens" | "narrows" | "replaces";

/** A rating, and the reason for it as a sentence. */
export interface Rating {
  impact: Impact;
  because: string;
}

/** The rule of the compatibility policy: clients may keep on sending what they send, and understand all that they receive. */
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

/** The gravest of some impacts; undefined of none. */
export function gravest(impacts: Impact[]): Impact | undefined {
  return GRAVITY.find((impact) => impacts.includes(impact));
}
