import type { OperationEntry } from "openapi-document";
import { type Direction, RATINGS } from "./ratings.ts";
import { keywordsOf } from "./alternatives.ts";
import { addition, contentChanges, type OperationChange, requirementChanges, schemasOf } from "./bodies.ts";
import { type Documents, type Node, type Pair, type PartChange, shown, unknownChanges, verb } from "./documents.ts";
import { defaultChanges } from "./fields.ts";
import { deprecationChanges, schemaChanges } from "./schemas.ts";

/** Compares the parameters of an operation. Path parameters are matched by position. */
export function parametersChanges(documents: Documents, entries: Pair<OperationEntry>): OperationChange[] {
  const [before, after] = [parametersByKey(entries.before), parametersByKey(entries.after)];
  return [...new Set([...before.keys(), ...after.keys()])].flatMap((key): OperationChange[] => {
    const [old, current] = [before.get(key), after.get(key)];
    const { in: location, name } = (current ?? old)!;
    const part = `${String(location)} parameter "${String(name)}"`;
    if (current === undefined) {
      const because = "The service rejects or ignores values that clients may send today.";
      return [{ part, impact: "breaking", what: "is removed", because }];
    }
    if (old === undefined) return [{ part, ...addition(current) }];
    return parameterChanges(documents, { before: old, after: current }).map((change) => ({ part, ...change }));
  });
}

function parametersByKey({ path, parameters }: OperationEntry): Map<string, Node> {
  const positions = Array.from(path.matchAll(/\{([^}]*)\}/g), ([, name]) => name);
  const keyed = parameters.map((parameter): [string, Node] => {
    const { in: location, name } = parameter;
    const written = location === "header" ? name.toLowerCase() : name;
    return [`${location} ${location === "path" ? positions.indexOf(name) : written}`, parameter as unknown as Node];
  });
  return new Map(keyed);
}

const FIELD_KEYS = ["required", "deprecated", "schema", "content", "style", "explode"];
const PARAMETER_KEYS = [...FIELD_KEYS, "name", "in", "allowReserved", "allowEmptyValue"];

function parameterChanges(documents: Documents, nodes: Pair<Node>): OperationChange[] {
  const { before, after } = nodes;
  const renamed: PartChange = {
    impact: "breaking",
    what: `the name changes from ${shown(before["name"])} to ${shown(after["name"])}`,
    because: "Calls in generated clients use this name.",
    at: { node: after, key: "name" },
  };
  const flags = ["allowReserved", "allowEmptyValue"].flatMap((key) => flagChanges(nodes, key));
  return [
    ...(after["in"] === "path" && before["name"] !== after["name"] ? [renamed] : []),
    ...requirementChanges("request", nodes),
    ...(after["required"] === true ? [] : defaultChanges(documents, "request", schemasOf(nodes))),
    ...flags,
    ...writtenChanges(documents, "request", nodes),
    ...unknownChanges(nodes, PARAMETER_KEYS),
  ];
}

/** Compares a flag that makes more requests valid. */
export function flagChanges({ before, after }: Pair<Node>, key: string): PartChange[] {
  if ((before[key] === true) === (after[key] === true)) return [];
  const rating = RATINGS.request[after[key] === true ? "widens" : "narrows"];
  return [
    {
      ...rating,
      what: `\`${key}\` ${verb(before[key], after[key])}`,
      at: { node: after, key },
    },
  ];
}

/** Compares a response header. */
export function headerChanges(documents: Documents, nodes: Pair<Node>): OperationChange[] {
  return [
    ...requirementChanges("response", nodes),
    ...writtenChanges(documents, "response", nodes),
    ...unknownChanges(nodes, FIELD_KEYS),
  ];
}

/** Compares the value of a parameter or header, and its notation. */
function writtenChanges(documents: Documents, direction: Direction, nodes: Pair<Node>): OperationChange[] {
  const { before, after } = nodes;
  const deprecated = deprecationChanges(nodes, { node: after, key: "deprecated" });
  if ((before["content"] === undefined) !== (after["content"] === undefined)) {
    const what = `the value ${after["content"] === undefined ? "is no longer" : "is"} written as a media type`;
    return [...deprecated, { ...RATINGS[direction].replaces, what, at: { node: after } }];
  }
  const content = { before: before["content"], after: after["content"] };
  return [
    ...deprecated,
    ...styleChanges(documents, direction, nodes),
    ...schemaChanges(documents, direction, schemasOf(nodes)),
    ...contentChanges(documents, direction, content),
  ];
}

/** `explode` affects only lists and objects (OpenAPI 3.1, "Style Values"). */
function styleChanges(documents: Documents, direction: Direction, nodes: Pair<Node>): PartChange[] {
  const [before, after] = [styleOf(nodes.before), styleOf(nodes.after)];
  const key = before.style === after.style ? "explode" : "style";
  if (before[key] === after[key]) return [];
  const what = `\`${key}\` changes from ${shown(before[key])} to ${shown(after[key])}`;
  const at = { node: nodes.after, ...(key in nodes.after && { key }) };
  const isScalar = (side: keyof Documents) => {
    const { type = ["object"] } = keywordsOf(documents[side], schemasOf(nodes)[side]);
    return !type.flat().some((each) => each === "object" || each === "array");
  };
  if (key === "style" || !isScalar("before") || !isScalar("after"))
    return [{ ...RATINGS[direction].replaces, what, at }];
  return [{ impact: "documentation", what, because: "`explode` affects only lists and objects.", at }];
}

function styleOf({
  in: location,
  style = location === "query" || location === "cookie" ? "form" : "simple",
  explode,
}: Node) {
  return { style, explode: explode ?? style === "form" };
}
