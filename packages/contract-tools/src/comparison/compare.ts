import { isDeepStrictEqual } from "node:util";
import { annotationChanges } from "./annotations.ts";
import { type Documents, type Node, paired, type PartChange, messageOf, unknownChanges } from "./documents.ts";
import { calledChanges, operationChanges } from "./operations.ts";
import { securitySchemeChanges } from "./security.ts";
import { serverChanges } from "./servers.ts";
import type { Impact } from "./ratings.ts";

/** One change, without its line in the text of the later contract. */
export interface Change {
  impact: Impact;
  /** The operation or the part of the document, such as `GET /pets`. */
  place: string;
  /** The change, and the reason for its impact. */
  message: string;
  at?: PartChange["at"];
}

const DOCUMENT_KEYS = ["openapi", "info", "servers", "security", "tags", "paths", "webhooks", "components"];

/**
 * Returns every change from one contract to another with its impact on clients. Each operation's requests are compared
 * apart from its responses. Contracts that differ have at least one change.
 */
export function compareContracts(documents: Documents): Change[] {
  try {
    return changesBetween(documents);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error; // the stack is exhausted
    const because = "The comparison cannot rule out that a client breaks.";
    return [toChange("the document", { impact: "breaking", what: "nests too deeply to be compared", because })];
  }
}

function changesBetween(documents: Documents): Change[] {
  const { before, after } = documents;
  const nodes = { before: before as unknown as Node, after: after as unknown as Node };
  const operations = operationChanges(documents).map(({ place, subject, ...change }) =>
    toChange(place, change, subject),
  );
  const changes = [
    ...serverChanges(nodes, nodes.after).map((change) => toChange("servers", change)),
    ...operations,
    ...webhookChanges(documents, nodes),
    ...securitySchemeChanges(documents).map(({ name, ...change }) =>
      toChange(`components/securitySchemes/${name}`, change),
    ),
    ...namedSchemaChanges(documents),
    ...unknownChanges(nodes, DOCUMENT_KEYS).map((change) => toChange("the document", change)),
    ...annotationChanges(nodes).map(({ place, subject, ...change }) => toChange(place, change, subject)),
  ];
  if (changes.length > 0 || isDeepStrictEqual(before, after)) return changes;
  const what = "only the notation changes";
  return [toChange("the document", { impact: "documentation", what, because: "Nothing changes for clients." })];
}

function toChange(place: string, change: PartChange, subject = ""): Change {
  const { impact, at } = change;
  return { impact, place, message: messageOf(subject, change), ...(at && { at }) };
}

function webhookChanges(documents: Documents, { before, after }: { before: Node; after: Node }): Change[] {
  const webhooks = paired(documents, { before: before["webhooks"], after: after["webhooks"] });
  return webhooks.flatMap(([name, item]) =>
    calledChanges(documents, name, item).map((change) => toChange(`webhooks/${name}`, change, "the webhook")),
  );
}

/** Names of schemas are not sent, but generated clients name types after them. */
function namedSchemaChanges(documents: Documents): Change[] {
  const schemasOf = ({ components }: Documents["before"]) => (components as Node | undefined)?.["schemas"];
  const schemas = paired(documents, { before: schemasOf(documents.before), after: schemasOf(documents.after) });
  return schemas.flatMap(([name, { before, after }]): Change[] => {
    const place = `components/schemas/${name}`;
    if (after === undefined) {
      const because = "Generated clients name a type after it.";
      return [toChange(place, { impact: "breaking", what: "is removed", because }, "the schema")];
    }
    if (before !== undefined) return [];
    const because = "Generated clients get one more type.";
    return [toChange(place, { impact: "additive", what: "is added", because, at: { node: after } }, "the schema")];
  });
}
