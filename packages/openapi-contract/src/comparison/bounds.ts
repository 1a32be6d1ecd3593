import type { Keywords } from "./alternatives.ts";

/** A keyword that bounds values, the keyword that excludes its bound, and the bound if both are absent. */
export interface Bound {
  sign: 1 | -1;
  keyword: string;
  exclusive?: string;
  otherwise?: number;
}

export const BOUNDS: Bound[] = [
  { sign: 1, keyword: "minimum", exclusive: "exclusiveMinimum" },
  { sign: -1, keyword: "maximum", exclusive: "exclusiveMaximum" },
  ...["minLength", "minItems", "minProperties"].map((keyword): Bound => ({ sign: 1, keyword, otherwise: 0 })),
  ...["maxLength", "maxItems", "maxProperties"].map((keyword): Bound => ({ sign: -1, keyword })),
];

/** A bound as a number: the greater, the tighter. */
export interface Limit {
  tightness: number;
  isExcluded: boolean;
  text?: string;
}

/** Returns the tightest of the bounds that several schemas set. */
export function tightest(keywords: Keywords, { sign, keyword, exclusive, otherwise }: Bound): Limit {
  const numbers = (key = "") => (keywords[key] ?? []).filter((value) => typeof value === "number");
  const limits = [
    ...numbers(keyword).map((value): Limit => ({ tightness: sign * value, isExcluded: false, text: String(value) })),
    ...numbers(exclusive).map((value): Limit => ({
      tightness: sign * value,
      isExcluded: true,
      text: `${value} (excluded)`,
    })),
  ];
  const none: Limit = { tightness: otherwise ?? Number.NEGATIVE_INFINITY, isExcluded: false };
  return limits.reduce((one, other) => (isTighter(other, one) ? other : one), none);
}

/** Returns whether the first bound excludes more than the second. */
export function isTighter(one: Limit, other: Limit): boolean {
  return one.tightness > other.tightness || (one.tightness === other.tightness && one.isExcluded && !other.isExcluded);
}

/** Returns a bound of integers with the first integer that it allows. */
export function wholeLimit({ tightness, isExcluded }: Limit): Limit {
  const whole = Math.ceil(tightness);
  return { tightness: isExcluded && whole === tightness ? whole + 1 : whole, isExcluded: false };
}
