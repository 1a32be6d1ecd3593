import type { OperationEntry } from "openapi-document";
import { keywordsOf } from "./alternatives.ts";
import {
  both,
  type Direction,
  type Documents,
  type Exchange,
  fromTo,
  isFromClient,
  keysOf,
  membersAt,
  type Node,
  type Pair,
  type PartChange,
  PART_REASONS,
  partChanges,
  type Reasons,
  RATINGS,
  resolved,
  unknownChanges,
  verb,
} from "./changes.ts";
import { contentChanges, type OperationChange, schemasOf } from "./content.ts";
import { defaultChanges } from "./fields.ts";
import type { Medium } from "./located.ts";
import { deprecationChanges, schemaChanges } from "./schemas.ts";

/** Compares the parameters of an operation. Path parameters are matched by position. */
export function parametersChanges(
  documents: Documents,
  direction: Direction,
  entries: Pair<OperationEntry>,
): OperationChange[] {
  const parameters = both((side) => parametersByKey(entries[side]));
  return keysOf(parameters).flatMap((key) => {
    const pair = both((side) => parameters[side][key]);
    const { in: location, name } = (pair.after ?? pair.before)!;
    const part = `${String(location)} parameter "${String(name)}"`;
    const changes = messagePartChanges(direction, pair, (nodes) => parameterChanges(documents, direction, nodes));
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

/** Compares a parameter, a header or a body. The service may reject a message of a client without a required part. */
function messagePartChanges(
  direction: Direction,
  pair: Pair<Node | undefined>,
  compare: (nodes: Pair<Node>) => OperationChange[],
): OperationChange[] {
  const { before, after } = pair;
  if (isFromClient(direction) && before === undefined && after?.["required"] === true)
    return [{ ...RATINGS[direction].narrows, what: "is added and required", at: { node: after } }];
  return partChanges(pair, PART_REASONS[direction], compare);
}

const FIELD_KEYS = ["required", "deprecated", "schema", "content", "style", "explode"];
const PARAMETER_KEYS = [...FIELD_KEYS, "name", "in", "allowReserved", "allowEmptyValue"];

function parameterChanges(documents: Documents, direction: Direction, nodes: Pair<Node>): OperationChange[] {
  const { before, after } = nodes;
  const renamed: PartChange = {
    impact: "breaking",
    what: `the name ${fromTo(before["name"], after["name"])}`,
    because: "Calls in generated clients use this name.",
    at: { node: after, key: "name" },
  };
  return [
    ...(after["in"] === "path" && before["name"] !== after["name"] ? [renamed] : []),
    ...requirementChanges(direction, nodes),
    ...(after["required"] === true ? [] : defaultChanges(documents, direction, schemasOf(nodes))),
    ...["allowReserved", "allowEmptyValue"].flatMap((key) => flagChanges(direction, nodes, key)),
    ...writtenChanges(documents, direction, nodes),
    ...unknownChanges(nodes, PARAMETER_KEYS),
  ];
}

/** Compares a flag that makes more messages valid. */
export function flagChanges(direction: Direction, { before, after }: Pair<Node>, key: string): PartChange[] {
  if ((before[key] === true) === (after[key] === true)) return [];
  const rating = RATINGS[direction][after[key] === true ? "widens" : "narrows"];
  return [{ ...rating, what: `\`${key}\` ${verb(before[key], after[key])}`, at: { node: after, key } }];
}

/** Compares a `required` flag. */
function requirementChanges(direction: Direction, { before, after }: Pair<Node>): PartChange[] {
  const [was, is] = [before["required"] === true, after["required"] === true];
  if (was === is) return [];
  const rating = RATINGS[direction][is ? "narrows" : "widens"];
  return [{ ...rating, what: `becomes ${is ? "required" : "optional"}`, at: { node: after, key: "required" } }];
}

/** Compares a response header. */
function headerChanges(documents: Documents, direction: Direction, nodes: Pair<Node>): OperationChange[] {
  return [
    ...requirementChanges(direction, nodes),
    ...writtenChanges(documents, direction, nodes),
    ...unknownChanges(nodes, FIELD_KEYS),
  ];
}

/** Compares the value of a parameter or header, and its notation. */
function writtenChanges(documents: Documents, direction: Direction, nodes: Pair<Node>): OperationChange[] {
  const { before, after } = nodes;
  const deprecated = deprecationChanges(nodes, (key) => ({ at: { node: after, ...(key in after && { key }) } }));
  if ((before["content"] === undefined) !== (after["content"] === undefined)) {
    const what = `the value ${after["content"] === undefined ? "is no longer" : "is"} written as a media type`;
    return [...deprecated, { ...RATINGS[direction].replaces, what, at: { node: after } }];
  }
  return [
    ...deprecated,
    ...styleChanges(documents, direction, nodes),
    ...schemaChanges(documents, direction, schemasOf(nodes), mediumOf(nodes)),
    ...contentChanges(documents, direction, nodes),
  ];
}

/** Parameters and headers are text. In the style `form`, each item of an exploded array is sent apart. */
function mediumOf(nodes: Pair<Node>): Medium {
  const { before, after } = both((side) => styleOf(nodes[side]));
  return [before, after].every(({ style, explode }) => style === "form" && explode === true) ? "exploded" : "text";
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

/** Compares the request bodies of an operation. */
export function requestBodyChanges(
  documents: Documents,
  direction: Direction,
  operations: Pair<Node>,
): OperationChange[] {
  const bodies = both((side) => resolved(documents[side], operations[side]["requestBody"]));
  const changes = messagePartChanges(direction, bodies, (nodes) => [
    ...requirementChanges(direction, nodes),
    ...contentChanges(documents, direction, nodes),
    ...unknownChanges(nodes, ["required", "content"]),
  ]);
  return changes.map((change) => ({ ...change, part: ["request body", change.part ?? []].flat().join(" as ") }));
}

const RESPONSE_REASONS: Record<"response" | "reply", Reasons> = {
  response: {
    added: "Clients treat an unknown status as its class (RFC 9110, section 15).",
    removed: "Clients may branch on it.",
  },
  reply: { added: "Clients need not answer with it.", removed: "Clients may answer with it today." },
};

/** Compares the responses of an operation. */
export function responsesChanges(
  documents: Documents,
  { second: direction }: Exchange,
  operations: Pair<Node>,
): OperationChange[] {
  const responses = membersAt(documents, operations, "responses").filter(([status]) => !status.startsWith("x-"));
  const declared = new Map(responses.map(([status, { before }]) => [status, before]));
  const reasons = RESPONSE_REASONS[direction === "reply" ? "reply" : "response"];
  return responses.flatMap(([status, response]) => {
    const changes = partChanges(response, reasons, (nodes) => [
      ...headersChanges(documents, direction, nodes),
      ...contentChanges(documents, direction, nodes),
      ...linksChanges(documents, nodes),
      ...unknownChanges(nodes, ["headers", "content", "links"]),
    ]);
    return [...changes, ...previousContentChanges(documents, direction, status, declared, response)].map((change) => ({
      status,
      ...change,
    }));
  });
}

/** A newly declared status fell under its class, or as an error under `default`. Their promises about the body must still hold. */
function previousContentChanges(
  documents: Documents,
  direction: Direction,
  status: string,
  declared: Map<string, Node | undefined>,
  response: Pair<Node | undefined>,
): OperationChange[] {
  const byClass = declared.get(`${status[0]}XX`);
  const before = byClass ?? (/^[45]/.test(status) ? declared.get("default") : undefined);
  const { after } = response;
  if (response.before !== undefined || before === undefined || after === undefined) return [];
  return contentChanges(documents, direction, { before, after }).filter(({ impact }) => impact === "breaking");
}

function headersChanges(documents: Documents, direction: Direction, responses: Pair<Node>): OperationChange[] {
  const headers = membersAt(documents, responses, "headers", (name) => name.toLowerCase());
  return headers.flatMap(([name, header]) => {
    const compare = (nodes: Pair<Node>) => headerChanges(documents, direction, nodes);
    const changes = isFromClient(direction)
      ? messagePartChanges(direction, header, compare)
      : partChanges(header, { ...PART_REASONS[direction], added: "Clients ignore unknown headers." }, compare);
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
