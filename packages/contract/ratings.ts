/** What a change means for those who use the contract. */
export type Impact = "breaking" | "additive" | "documentation";

/** From the gravest to the lightest. */
export const GRAVITY = ["breaking", "additive", "documentation"] as const satisfies Impact[];

/** What a rating is made from, as `redocly diff` reports it. */
export interface RatedChange {
  path: string;
  typeName: string;
  kind: string;
  property?: string;
  base?: { value: unknown };
}

interface Overruling {
  typeName: string;
  kind?: string;
  properties?: string[];
  when?: (change: RatedChange) => boolean;
  impact: Impact;
  because: string;
}

/** What of a schema says which values are valid (JSON Schema Validation, section 6). */
const ASSERTIONS = [
  "type",
  "enum",
  "const",
  "format",
  "pattern",
  "required",
  "additionalProperties",
  "nullable",
  "uniqueItems",
  "minimum",
  "maximum",
  "exclusiveMinimum",
  "exclusiveMaximum",
  "multipleOf",
  "minLength",
  "maxLength",
  "minItems",
  "maxItems",
  "minProperties",
  "maxProperties",
];

/**
 * Where our judgement differs from Redocly's, which calls `patch` every modification that breaks nothing on the wire. This
 * is the one place that overrules it, and never what Redocly finds to be breaking; `test/change-kinds.ts` lists kinds of change with both ratings.
 */
const OVERRULINGS: Overruling[] = [
  {
    typeName: "Schema",
    properties: ["default"],
    when: ({ path, base }) => /\/(parameters|requestBody)\//.test(path) && base?.value !== undefined,
    impact: "breaking",
    because: "the same request means something else than before",
  },
  {
    typeName: "Parameter",
    properties: ["name"],
    impact: "breaking",
    because: "calls through generated clients name it",
  },
  {
    typeName: "Operation",
    properties: ["deprecated", "x-deprecated-at", "x-sunset", "x-successor"],
    impact: "additive",
    because: "a deprecation is announced with a minor version (Semantic Versioning, item 7)",
  },
  {
    typeName: "Schema",
    properties: ASSERTIONS,
    impact: "additive",
    because: "more is accepted, or more is promised, than before",
  },
  { typeName: "Parameter", properties: ["required"], impact: "additive", because: "less is asked for than before" },
  { typeName: "RequestBody", properties: ["required"], impact: "additive", because: "less is asked for than before" },
  { typeName: "Example", impact: "documentation", because: "an example promises nothing" },
  {
    typeName: "SecurityRequirement",
    kind: "removed",
    impact: "additive",
    because: "less is asked for than before",
  },
];

/** Our rating, with the reason where it differs from Redocly's. What Redocly calls breaking stays so. */
export function rate(change: RatedChange, theirs: Impact): { impact: Impact; because?: string } {
  const overruling = OVERRULINGS.find(({ typeName, kind, properties, when }) => {
    if (typeName !== change.typeName || (kind !== undefined && kind !== change.kind)) return false;
    return (properties?.includes(change.property ?? "") ?? true) && (when?.(change) ?? true);
  });
  if (overruling === undefined || theirs === "breaking" || theirs === overruling.impact) return { impact: theirs };
  return { impact: overruling.impact, because: overruling.because };
}

/** The gravest of some impacts; undefined of none. */
export function gravest(impacts: Impact[]): Impact | undefined {
  return GRAVITY.find((impact) => impacts.includes(impact));
}
