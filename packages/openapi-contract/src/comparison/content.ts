import { isDeepStrictEqual } from "node:util";
import { essenceOf, isJson, isSequential, isText, type OpenApiDocument } from "openapi-document";
import { keywordsOf, type SchemaNode } from "./alternatives.ts";
import { isNote } from "./canonical.ts";
import {
  both,
  type Direction,
  type Documents,
  isFromClient,
  membersAt,
  type Node,
  type Pair,
  type PartChange,
  partChanges,
  type Reasons,
  RATINGS,
  unknownChanges,
  verb,
} from "./changes.ts";
import type { Medium } from "./located.ts";
import { schemaChanges } from "./schemas.ts";

/** A change to an operation: its part, the field of the value, and the status if the part is a response. */
export interface OperationChange extends PartChange {
  status?: string;
  part?: string;
  field?: string;
}

/** The ratings of a media type that is added or removed. */
const MEDIA_TYPE_REASONS: Record<Direction, Reasons> = {
  request: { added: "Clients need not send it.", removed: "Clients may send it today." },
  response: { added: "Clients choose by `Accept` what they receive.", removed: "Clients may expect it today." },
  call: { added: "Clients may not understand it.", removed: "Clients need not understand it." },
  reply: { added: "Clients need not send it.", removed: "Clients may send it today." },
};

/** Compares the content of two nodes by media type. */
export function contentChanges(documents: Documents, direction: Direction, nodes: Pair<Node>): OperationChange[] {
  const types = membersAt(documents, nodes, "content", canonicalMediaType);
  return types.flatMap(([type, { before, after: own }]): OperationChange[] => {
    const after = own ?? (isFromClient(direction) ? rangeOf(types, type) : undefined);
    const pair = { before, after };
    if (before === undefined || after === undefined) {
      const changes = partChanges(pair, MEDIA_TYPE_REASONS[direction], () => []);
      const isChosen = direction !== "call"; // a client cannot choose what the service sends
      return changes.map(({ impact, ...change }) => ({
        ...change,
        impact: isChosen ? impact : impact === "breaking" ? "additive" : "breaking",
        what: `${type} ${change.what}`,
      }));
    }
    const changes = mediaTypeChanges(documents, direction, essenceOf(type), { before, after });
    return types.length === 1 ? changes : changes.map((change) => ({ ...change, part: type }));
  });
}

/** Returns the later content of a range that includes a media type, such as `image/*`. */
function rangeOf(types: ReturnType<typeof membersAt>, type: string): Node | undefined {
  const ranges = [`${type.split("/", 1)[0]}/*`.toLowerCase(), "*/*"];
  return ranges
    .map((range) => types.find(([name]) => name === range)?.[1].after)
    .find((content) => content !== undefined);
}

/** The charset of JSON is always UTF-8 (RFC 8259, section 8.1), and that of other types mostly. */
function canonicalMediaType(name: string): string {
  const [essence = "", ...parameters] = name.split(";").map((part) => part.trim());
  const others = parameters.map((each) => each.replace(/^[^=]*/, (key) => key.toLowerCase()).replaceAll('"', ""));
  return [essence.toLowerCase(), ...others.filter((each) => !/^charset=utf-?8$/i.test(each)).toSorted()].join(";");
}

function mediaTypeChanges(
  documents: Documents,
  direction: Direction,
  essence: string,
  nodes: Pair<Node>,
): OperationChange[] {
  const [before, after] = [nodes.before["encoding"], nodes.after["encoding"]];
  const isEncoded = Object.keys(before ?? after ?? {}).length > 0;
  const medium = isEncoded ? "json" : mediumOfType(essence);
  const schemas = schemasOf(nodes);
  const isRaw = medium === "json" && !isJson(essence) && !isText(essence) && !isSequential(essence);
  const contents = isRaw ? both((side) => rawSchema(documents[side], schemas[side])) : schemas;
  const items = both((side) => (nodes[side]["itemSchema"] ?? true) as SchemaNode);
  const changes = [
    ...schemaChanges(documents, direction, contents, medium),
    ...schemaChanges(documents, direction, items).map((change) => ({ ...change, field: `[]${change.field}` })),
    ...unknownChanges(nodes, ["schema", "itemSchema", "encoding"]),
  ];
  if (isDeepStrictEqual(before ?? {}, after ?? {})) return changes;
  const at = { node: nodes.after, ...(after !== undefined && { key: "encoding" }) };
  return [...changes, { ...RATINGS[direction].replaces, what: `\`encoding\` ${verb(before, after)}`, at }];
}

function mediumOfType(essence: string): Medium {
  if (essence === "application/x-www-form-urlencoded" || essence === "multipart/form-data") return "form";
  return /[/+]xml$/.test(essence) ? "xml" : "json";
}

/** The whole body is bytes: in OpenAPI 3.0 a string with the format `binary`, and in 3.1 no schema. */
function rawSchema(document: OpenApiDocument, schema: SchemaNode): SchemaNode {
  const { type = [], contentMediaType = [], ...others } = keywordsOf(document, schema);
  const isBytes = [...type, ...contentMediaType].every(
    (each) => each === "string" || each === "application/octet-stream",
  );
  return isBytes && Object.keys(others).every(isNote) ? true : schema;
}

/** The schemas of two nodes; a missing one allows any value. */
export function schemasOf(nodes: Pair<Node>): Pair<SchemaNode> {
  return both((side) => (nodes[side]["schema"] ?? true) as SchemaNode);
}
