import { type OpenApiDocument, type Schema, conjuncts, isRecord, mayBe, valuesOf } from "openapi-document";
import type { Fault } from "../eov/eov.ts";
import { type Budget, declaredFields, constantFields, constantsOf, MAX_COMPARED, newBudget } from "./member-fit.ts";

/** A fault and the faults that caused it. A failed choice has one cause for each of its members. */
interface FaultTree {
  fault: Fault;
  causes: FaultTree[];
}

/** A member of a choice, with its fault. */
interface Member {
  tree: FaultTree;
  schema: Schema;
}

/**
 * Returns the fault to report. The fault of a choice is that of the member that the client meant: the one with the right
 * type and the right constants, such as a discriminator's, and otherwise the one that declares the most of its fields.
 */
export function meantFault(faults: Fault[]): Fault | undefined {
  const tree = treeOf(faults);
  return tree && faultOfTree(tree, newBudget());
}

/** Arranges the faults of one validation. It stops at the first fault, and lists the causes of a fault before it. */
function treeOf(faults: Fault[]): FaultTree | undefined {
  const pending: FaultTree[] = [];
  for (const fault of faults) {
    const causes = pending.splice(Math.max(0, pending.length - causeCount(fault, pending)));
    const previous = pending.at(-1)?.fault;
    if (previous !== undefined && isOfSameSchema(previous, fault)) pending.pop();
    pending.push({ fault, causes });
  }
  return pending.at(-1);
}

/** Returns whether a schema has a second fault. ajv goes on after a wrong type to the keywords of every type. */
function isOfSameSchema({ keyword, path, schema, value, context }: Fault, next: Fault): boolean {
  if (!TYPES.has(keyword) || !isSame(path, next.path)) return false;
  const others = context === undefined ? [] : conjuncts(context.document, schema, MAX_COMPARED).slice(1);
  return schema === next.schema || others.some((part) => !mayBe(part, value));
}

function causeCount(fault: Fault, pending: FaultTree[]): number {
  const { keyword, schema, params, path, value } = fault;
  if (keyword === "if" || keyword === "propertyNames") return 1;
  if (keyword === "contains") {
    const last = pending.findLastIndex(({ fault: other }) => other.path.length <= path.length);
    return Math.min(pending.length - 1 - last, (value as unknown[]).length);
  }
  if (!isChoice(fault)) return 0;
  const [, second] = (params["passingSchemas"] ?? []) as number[];
  return second === undefined ? ((schema[keyword] as unknown[] | undefined)?.length ?? Infinity) : second - 1;
}

function isChoice({ keyword }: Fault): boolean {
  return keyword === "anyOf" || keyword === "oneOf";
}

function faultOfTree({ fault, causes }: FaultTree, budget: Budget): Fault {
  const [cause] = causes;
  if (cause !== undefined && (fault.keyword === "if" || fault.keyword === "propertyNames"))
    return faultOfTree(cause, budget);
  return isChoice(fault) && !fault.params["passingSchemas"] ? faultOfChoice(fault, causes, budget) : fault;
}

function faultOfChoice(choice: Fault, causes: FaultTree[], budget: Budget): Fault {
  const { value, context, path } = choice;
  budget.left -= causes.length;
  if (budget.left < 0) return choice;
  const schemas = (choice.schema[choice.keyword] ?? []) as Schema[];
  const all = causes.map((tree, at): Member => ({ tree, schema: schemas[at] ?? {} }));
  const members = all.filter(({ tree }) => !isOfWholeValue(tree, path));
  if (members.length === 0) return mergeKinds(causes.flatMap(leavesOf)) ?? choice;
  if (!isRecord(value) || context === undefined) return commonFault(choice, members, budget);
  const { remaining, constantFault } = selectByConstants(choice, value, members, context.document);
  return constantFault ?? commonFault(choice, bestFitting(value, remaining, context.document, budget), budget);
}

const TYPES = new Set(["type", "x-eov-type"]);
const KINDS = new Set([...TYPES, "enum", "const", "false schema"]);

/** Returns whether a schema takes no value of this type, or lists the values that it takes. */
function isOfWholeValue({ fault, causes }: FaultTree, path: string[]): boolean {
  if (isChoice(fault)) return causes.length > 0 && causes.every((cause) => isOfWholeValue(cause, path));
  return KINDS.has(fault.keyword) && isSame(fault.path, path);
}

function leavesOf({ fault, causes }: FaultTree): Fault[] {
  return causes.length === 0 ? [fault] : causes.flatMap(leavesOf);
}

/**
 * Selects the members that allow the constants of the value. A field that is a constant in every member is a fault if no
 * member allows its value, or if it is missing and every member requires it.
 */
function selectByConstants(
  choice: Fault,
  value: Record<string, unknown>,
  members: Member[],
  document: OpenApiDocument,
): { remaining: Member[]; constantFault?: Fault } {
  let remaining = members;
  for (const name of members.length > 1 ? constantFields(document, members[0]!.schema) : []) {
    const constants = remaining.map(({ schema }) => constantsOf(document, schema, name));
    if (!constants.every((own) => own !== undefined)) continue;
    const fault = { ...choice, path: [...choice.path, name], schema: {} };
    if (!Object.hasOwn(value, name)) {
      if (constants.every(({ isRequired }) => isRequired))
        return { remaining, constantFault: { ...fault, keyword: "required", params: {} } };
      continue;
    }
    const allowed = remaining.filter((_, at) => constants[at]!.values.includes(value[name]));
    if (allowed.length === 0) {
      const params = { allowedValues: unique(constants.flatMap(({ values }) => values)) };
      return { remaining, constantFault: { ...fault, keyword: "enum", params, value: value[name] } };
    }
    remaining = allowed;
  }
  return { remaining };
}

function bestFitting(
  value: Record<string, unknown>,
  members: Member[],
  document: OpenApiDocument,
  budget: Budget,
): Member[] {
  if (members.length === 1) return members;
  const schemas = members.map(({ schema }) => schema);
  const counts = declaredFields(document, schemas, value, budget);
  const most = Math.max(...counts);
  return members.filter((_, at) => counts[at] === most);
}

/** Returns one fault for members that are meant alike: of these, validation got deepest into the value by their faults. */
function commonFault(choice: Fault, members: Member[], budget: Budget): Fault {
  const all = members.map(({ tree }) => faultOfTree(tree, budget));
  const depth = all.reduce((deepest, fault) => Math.max(deepest, depthOf(fault)), 0);
  const faults = all.filter((fault) => depthOf(fault) === depth);
  const [first] = faults as [Fault];
  const isSamePath = faults.every(({ path }) => isSame(path, first.path));
  const isRequired = faults.every(({ keyword }) => keyword === "required");
  if (faults.length === 1 || (isSamePath && isRequired)) return first;
  if (isSamePath && faults.every(({ keyword }) => KINDS.has(keyword))) return mergeKinds(faults) ?? choice;
  if (isSamePath && faults.every(({ keyword }) => /^(?:additional|unevaluated)Properties$/.test(keyword)))
    return { ...choice, keyword: "unevaluatedProperties", path: first.path, params: {} };
  if (isSamePath && first.path.length > choice.path.length) return { ...choice, path: first.path, schema: {} };
  const place = first.path.slice(0, -1);
  if (!isRequired || !faults.every(({ path }) => isSame(path.slice(0, -1), place))) return choice;
  return { ...choice, path: place, params: { fields: unique(faults.map(({ path }) => path.at(-1))) } };
}

/** Returns the depth of the value that has the fault. The path of a missing or unknown field is one name longer. */
function depthOf({ keyword, path }: Fault): number {
  return path.length - (/^(?:required|depend.*|additionalProperties|unevaluatedProperties)$/.test(keyword) ? 1 : 0);
}

/** Returns one fault that has all types and values that the members take; undefined if they take none. */
function mergeKinds(faults: Fault[]): Fault | undefined {
  const [first] = faults as [Fault];
  const values = faults.map(valuesIn);
  const allowedValues = unique(values.flatMap((own) => own ?? []));
  const types = unique(faults.flatMap((fault, at) => (values[at] === undefined ? typesIn(fault) : [])));
  if (types.length === 0)
    return allowedValues.length === 0 ? undefined : { ...first, keyword: "enum", params: { allowedValues } };
  return { ...first, keyword: "type", params: { type: types, ...(allowedValues.length > 0 && { allowedValues }) } };
}

function valuesIn({ params, schema }: Fault): unknown[] | undefined {
  if ("allowedValue" in params) return [params["allowedValue"]];
  return (params["allowedValues"] as unknown[] | undefined) ?? valuesOf(schema);
}

function typesIn({ params, schema }: Fault): unknown[] {
  return [params["type"] ?? schema["x-eov-type"] ?? []].flat();
}

function isSame(path: string[], other: string[]): boolean {
  return path.length === other.length && path.every((name, at) => name === other[at]);
}

function unique<Item>(items: Item[]): Item[] {
  return [...new Set(items)];
}
