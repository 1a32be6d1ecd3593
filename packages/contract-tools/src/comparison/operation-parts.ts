import { isDeepStrictEqual } from "node:util";
import type { OperationEntry } from "openapi-document";
import { keywordsOf, type SchemaNode } from "./alternatives.ts";
import {
  both,
  type Direction,
  type Documents,
  fromTo,
  keysOf,
  membersAt,
  type Node,
  type Pair,
  type PartChange,
  partChanges,
  RATINGS,
  resolved,
  SENT,
  unknownChanges,
  verb,
} from "./changes.ts";
import { defaultChanges } from "./fields.ts";
import { deprecationChanges, schemaChanges } from "./schemas.ts";

/** A change to an operation: its part, the field of the value, and the status if the part is a response. */
export interface OperationChange extends PartChange {
  status?: string;
  part?: string;
  field?: string;
}

/** Compares the parameters of an operation. Path parameters are matched by position. */
export function parametersChanges(documents: Documents, entries: Pair<OperationEntry>): OperationChange[] {
  const parameters = both((side) => parametersByKey(entries[side]));
  return keysOf(parameters).flatMap((key) => {
    const pair = both((side) => parameters[side][key]);
    const { in: location, name } = (pair.after ?? pair.before)!;
    const part = `${String(location)} parameter "${String(name)}"`;
    const changes = sentPartChanges(pair, (nodes) => parameterChanges(documents, nodes));
    return changes.map((change) => ({ part, ...change }));
  });
}

function parametersByKey({ path, parameters }: OperationEntry): Record<string, Node> {
  const positions = Array.from(path.matchAll(/\{([^}]*)\}/g), ([, name]) => name);
  const keyed = parameters.map((parameter): [string, Node] => {
    const { in: location, name } = parameter;
    const written = location === "header" ? name.toLowerCase() : name;
    return [`${location} ${location === "path" ? positions.indexOf(name) : written}`, parameter as unknown as Node];
  });
  return Object.fromEntries(keyed);
}

/** Compares a parameter or a request body. */
export function sentPartChanges(
  pair: Pair<Node | undefined>,
  compare: (nodes: Pair<Node>) => OperationChange[],
): OperationChange[] {
  const { before, after } = pair;
  if (before === undefined && after?.["required"] === true)
    return [{ ...RATINGS.request.narrows, what: "is added and required", at: { node: after } }];
  return partChanges(pair, SENT, compare);
}

const FIELD_KEYS = ["required", "deprecated", "schema", "content", "style", "explode"];
const PARAMETER_KEYS = [...FIELD_KEYS, "name", "in", "allowReserved", "allowEmptyValue"];

function parameterChanges(documents: Documents, nodes: Pair<Node>): OperationChange[] {
  const { before, after } = nodes;
  const renamed: PartChange = {
    impact: "breaking",
    what: `the name ${fromTo(before["name"], after["name"])}`,
    because: "Calls in generated clients use this name.",
    at: { node: after, key: "name" },
  };
  return [
    ...(after["in"] === "path" && before["name"] !== after["name"] ? [renamed] : []),
    ...requirementChanges("request", nodes),
    ...(after["required"] === true ? [] : defaultChanges(documents, "request", schemasOf(nodes))),
    ...["allowReserved", "allowEmptyValue"].flatMap((key) => flagChanges(nodes, key)),
    ...writtenChanges(documents, "request", nodes),
    ...unknownChanges(nodes, PARAMETER_KEYS),
  ];
}

/** Compares a flag that makes more requests valid. */
export function flagChanges({ before, after }: Pair<Node>, key: string): PartChange[] {
  if ((before[key] === true) === (after[key] === true)) return [];
  const rating = RATINGS.request[after[key] === true ? "widens" : "narrows"];
  return [{ ...rating, what: `\`${key}\` ${verb(before[key], after[key])}`, at: { node: after, key } }];
}

/** Compares a `required` flag. */
export function requirementChanges(direction: Direction, { before, after }: Pair<Node>): PartChange[] {
  const [was, is] = [before["required"] === true, after["required"] === true];
  if (was === is) return [];
  const rating = RATINGS[direction][is ? "narrows" : "widens"];
  return [{ ...rating, what: `becomes ${is ? "required" : "optional"}`, at: { node: after, key: "required" } }];
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
  return [
    ...deprecated,
    ...styleChanges(documents, direction, nodes),
    ...schemaChanges(documents, direction, schemasOf(nodes)),
    ...contentChanges(documents, direction, nodes),
  ];
}

/** `explode` affects only lists and objects (OpenAPI 3.1, "Style Values"). */
function styleChanges(documents: Documents, direction: Direction, nodes: Pair<Node>): PartChange[] {
  const { before, after } = both((side) => styleOf(nodes[side]));
  const key = before.style === after.style ? "explode" : "style";
  if (before[key] === after[key]) return [];
  const what = `\`${key}\` ${fromTo(before[key], after[key])}`;
  const at = { node: nodes.after, ...(key in nodes.after && { key }) };
  const isScalar = both((side) => {
    const { type = ["object"] } = keywordsOf(documents[side], schemasOf(nodes)[side]);
    return !type.flat().some((each) => each === "object" || each === "array");
  });
  if (key === "style" || !isScalar.before || !isScalar.after) return [{ ...RATINGS[direction].replaces, what, at }];
  return [{ impact: "documentation", what, because: "`explode` affects only lists and objects.", at }];
}

function styleOf({ in: location, style: given, explode }: Node) {
  const style = given ?? (location === "query" || location === "cookie" ? "form" : "simple");
  return { style, explode: explode ?? style === "form" };
}

/** The schemas of two nodes; a missing one allows any value. */
function schemasOf(nodes: Pair<Node>): Pair<SchemaNode> {
  return both((side) => (nodes[side]["schema"] ?? true) as SchemaNode);
}

/** The reasons for the rating of a media type that is added or removed. */
const MEDIA_TYPE_REASONS = {
  request: { added: "Clients need not send it.", removed: "Clients may send it today." },
  response: { added: "Clients choose by `Accept` what they receive.", removed: "Clients may expect it today." },
};

/** Compares the content of two nodes by media type. */
export function contentChanges(documents: Documents, direction: Direction, nodes: Pair<Node>): OperationChange[] {
  const types = membersAt(documents, nodes, "content", { isCaseless: true });
  return types.flatMap(([type, pair]): OperationChange[] => {
    const { before, after } = pair;
    if (before === undefined || after === undefined) {
      const changes = partChanges(pair, MEDIA_TYPE_REASONS[direction], () => []);
      return changes.map((change) => ({ ...change, what: `${type} ${change.what}` }));
    }
    const changes = mediaTypeChanges(documents, direction, { before, after });
    return types.length === 1 ? changes : changes.map((change) => ({ ...change, part: type }));
  });
}

function mediaTypeChanges(documents: Documents, direction: Direction, nodes: Pair<Node>): OperationChange[] {
  const [before, after] = [nodes.before["encoding"], nodes.after["encoding"]];
  const changes = [
    ...schemaChanges(documents, direction, schemasOf(nodes)),
    ...unknownChanges(nodes, ["schema", "encoding"]),
  ];
  if (isDeepStrictEqual(before ?? {}, after ?? {})) return changes;
  const at = { node: nodes.after, ...(after !== undefined && { key: "encoding" }) };
  return [...changes, { ...RATINGS[direction].replaces, what: `\`encoding\` ${verb(before, after)}`, at }];
}

/** Compares the request bodies of an operation. */
export function requestBodyChanges(documents: Documents, operations: Pair<Node>): OperationChange[] {
  const bodies = both((side) => resolved(documents[side], operations[side]["requestBody"]));
  const changes = sentPartChanges(bodies, (nodes) => [
    ...requirementChanges("request", nodes),
    ...contentChanges(documents, "request", nodes),
    ...unknownChanges(nodes, ["required", "content"]),
  ]);
  return changes.map((change) => ({ ...change, part: ["request body", change.part ?? []].flat().join(" as ") }));
}

/** Compares the responses of an operation. */
export function responsesChanges(documents: Documents, operations: Pair<Node>): OperationChange[] {
  const responses = membersAt(documents, operations, "responses").filter(([status]) => !status.startsWith("x-"));
  const declared = new Map(responses.map(([status, { before }]) => [status, before]));
  const added = "Clients treat an unknown status as its class (RFC 9110, section 15).";
  return responses.flatMap(([status, response]) => {
    const changes = partChanges(response, { added, removed: "Clients may branch on it." }, (nodes) => [
      ...headersChanges(documents, nodes),
      ...contentChanges(documents, "response", nodes),
      ...linksChanges(documents, nodes),
      ...unknownChanges(nodes, ["headers", "content", "links"]),
    ]);
    return [...changes, ...previousContentChanges(documents, status, declared, response)].map((change) => ({
      status,
      ...change,
    }));
  });
}

/** A newly declared status fell under its class, or as an error under `default`. Their promises about the body must still hold. */
function previousContentChanges(
  documents: Documents,
  status: string,
  declared: Map<string, Node | undefined>,
  response: Pair<Node | undefined>,
): OperationChange[] {
  const byClass = declared.get(`${status[0]}XX`);
  const before = byClass ?? (/^[45]/.test(status) ? declared.get("default") : undefined);
  const { after } = response;
  if (response.before !== undefined || before === undefined || after === undefined) return [];
  return contentChanges(documents, "response", { before, after }).filter(({ impact }) => impact === "breaking");
}

function headersChanges(documents: Documents, responses: Pair<Node>): OperationChange[] {
  const reasons = { added: "Clients ignore unknown headers.", removed: "Clients that read it no longer get it." };
  return membersAt(documents, responses, "headers", { isCaseless: true }).flatMap(([name, header]) => {
    const changes = partChanges(header, reasons, (nodes) => headerChanges(documents, nodes));
    return changes.map((change) => ({ part: `header "${name}"`, ...change }));
  });
}

function linksChanges(documents: Documents, responses: Pair<Node>): OperationChange[] {
  const because = "Clients may follow it today.";
  return membersAt(documents, responses, "links").flatMap(([name, link]) => {
    const changes = partChanges(
      link,
      { added: "Clients need not follow it.", removed: because },
      (nodes): PartChange[] => unknownChanges(nodes, []).map((change) => ({ ...change, because })),
    );
    return changes.map((change) => ({ part: `link "${name}"`, ...change }));
  });
}
