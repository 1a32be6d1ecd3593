import { type OpenApiDocument, type Schema, conjuncts, mayBe, propertiesOf, valuesOf } from "openapi-document";

/** The most fields of a value that are compared with a schema, and the most parts of a schema. */
export const MAX_COMPARED = 100;
/** The most comparisons of fields with the members of one choice. */
const MAX_COMPARISONS = 5_000;

/** The steps that are left for one message. Without any, the fault of a choice is that of the whole choice. */
export interface Budget {
  left: number;
}

/** Returns the budget of a message: that of several choices, one in the other. */
export function newBudget(): Budget {
  return { left: 4 * MAX_COMPARISONS };
}

/** The most constants that may select a member. */
const MAX_CONSTANTS = 10;
/** The most choices within a member, one in the other, that are compared. */
const MAX_NESTING = 4;

/** How well a value fits a schema. More is better in each number. The first number that differs decides. */
type Fit = readonly [fittingFields: number, declaredFields: number, notMissing: number];

/** Compares two fits, for the better one first. */
export function compareFits(one: Fit, other: Fit): number {
  const at = one.findIndex((number, index) => number !== other[index]);
  return at === -1 ? 0 : other[at]! - one[at]!;
}

/** Returns how well an object fits each member of a choice, by the fields that the members declare and require. */
export function fitsOf(
  document: OpenApiDocument,
  members: Schema[],
  value: Record<string, unknown>,
  budget: Budget,
): Fit[] {
  budget.left -= MAX_COMPARED; // for the names of the fields
  const count = Math.min(MAX_COMPARED, Math.ceil(MAX_COMPARISONS / members.length));
  const fields = Object.entries(value).slice(0, count);
  const isGiven = (name: string): boolean => Object.hasOwn(value, name);

  const fitOf = (schema: Schema, nesting: number): Fit => {
    budget.left -= fields.length + 1;
    if (budget.left < 0) return [0, 0, 0];
    const parts = conjuncts(document, schema, MAX_COMPARED);
    let [fitting, declared] = [0, 0];
    for (const [name, item] of fields) {
      const found = fieldsNamed(name, parts);
      if (found.length === 0) continue;
      declared++;
      if (found.every((field) => conjuncts(document, field, MAX_COMPARED).every((part) => mayBe(part, item))))
        fitting++;
    }
    const required = parts.flatMap((part) => (part["required"] ?? []) as string[]).slice(0, MAX_COMPARED);
    const missing = declared === 0 ? 0 : required.filter((name) => !isGiven(name)).length; // else the smallest would fit best
    const own: Fit = [fitting, declared, -missing];
    const choices = nesting === MAX_NESTING ? [] : parts.flatMap(({ oneOf, anyOf }) => [oneOf ?? [], anyOf ?? []]);
    return (choices as Schema[][]).reduce((sum, inner): Fit => {
      const fits = inner.slice(0, MAX_COMPARED).map((member) => fitOf(member, nesting + 1));
      const [best = [0, 0, 0]] = fits.toSorted(compareFits);
      return [sum[0] + best[0], sum[1] + best[1], sum[2] + best[2]];
    }, own);
  };

  return members.map((member) => fitOf(member, 0));
}

/** Returns the values that a schema allows in a field, and whether it requires the field; undefined without such values. */
export function constantsOf(
  document: OpenApiDocument,
  schema: Schema,
  name: string,
): { values: unknown[]; isRequired: boolean } | undefined {
  const parts = conjuncts(document, schema, MAX_COMPARED);
  const fields = fieldsNamed(name, parts).flatMap((field) => conjuncts(document, field, MAX_COMPARED));
  const values = fields.map(valuesOf).find((own) => own !== undefined);
  if (values === undefined || values.some((value) => typeof value === "object" && value !== null)) return undefined;
  return { values, isRequired: parts.some(({ required }) => (required as string[] | undefined)?.includes(name)) };
}

/** Returns the fields for which a schema allows certain values only, at most 10. */
export function constantFields(document: OpenApiDocument, schema: Schema): string[] {
  const parts = conjuncts(document, schema, MAX_COMPARED);
  const names = new Set(parts.flatMap((part) => Object.keys(propertiesOf(part))).slice(0, MAX_COMPARED));
  const constants = [...names].filter((name) => constantsOf(document, schema, name) !== undefined);
  return constants.slice(0, MAX_CONSTANTS);
}

function fieldsNamed(name: string, parts: Schema[]): Schema[] {
  return parts.map(propertiesOf).flatMap((fields) => (Object.hasOwn(fields, name) ? [fields[name]!] : []));
}
