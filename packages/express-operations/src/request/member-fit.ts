import { type OpenApiDocument, type Schema, conjuncts, propertiesOf, valuesOf } from "openapi-document";

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

/** Returns for each member of a choice how many fields of a value it declares. */
export function declaredFields(document: OpenApiDocument, members: Schema[], value: object, budget: Budget): number[] {
  budget.left -= MAX_COMPARED; // for the names of the fields
  const count = Math.min(MAX_COMPARED, Math.ceil(MAX_COMPARISONS / members.length));
  const names = Object.keys(value).slice(0, count);
  return members.map((member) => {
    budget.left -= names.length + 1;
    if (budget.left < 0) return 0;
    const parts = conjuncts(document, member, MAX_COMPARED);
    return names.filter((name) => fieldsNamed(name, parts).length > 0).length;
  });
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
