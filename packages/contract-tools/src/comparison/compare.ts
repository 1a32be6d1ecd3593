import { isDeepStrictEqual } from "node:util";
import { annotationChanges } from "./annotations.ts";
import { type Documents, type Node, paired, type PartChange, sentences, unknownChanges } from "./documents.ts";
import { calledChanges, operationChanges } from "./operations.ts";
import { securitySchemeChanges } from "./security.ts";
import { serverChanges } from "./servers.ts";
import type { Impact } from "./ratings.ts";

/** One change, before its line is looked up in the text of the later contract. */
export interface Change {
  impact: Impact;
  /** The operation or the part of the document, such as `GET /pets`. */
  place: string;
  /** What changed, and why it is rated so. */
  message: string;
  at?: PartChange["at"];
}

const DOCUMENT_KEYS = ["openapi", "info", "servers", "security", "tags", "paths", "webhooks", "components"];

/**
 * Every change from one contract to another, rated by what it means for clients: for each operation, what they send apart
 * from what they receive. Contracts that differ in anything have at least one change.
 */
export function compareContracts(documents: Documents): Change[] {
  try {
    return changesBetween(documents);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error; // the stack is exhausted
    const because = "The comparison cannot rule out that a client breaks.";
    return [told("the document", { impact: "breaking", what: "nests too deeply to be compared", because })];
  }
}

function changesBetween(documents: Documents): Change[] {
  const { before, after } = documents;
  const nodes = { before: before as unknown as Node, after: after as unknown as Node };
  const operations = operationChanges(documents).map(({ place, subject, ...change }) => told(place, change, subject));
  const changes = [
    ...serverChanges(nodes, nodes.after).map((change) => told("servers", change)),
    ...operations,
    ...webhookChanges(documents, nodes),
    ...securitySchemeChanges(documents).map(({ name, ...change }) =>
      told(`components/securitySchemes/${name}`, change),
    ),
    ...namedSchemaChanges(documents),
    ...unknownChanges(nodes, DOCUMENT_KEYS).map((change) => told("the document", change)),
    ...annotationChanges(nodes).map(({ place, subject, ...change }) => told(place, change, subject)),
  ];
  if (changes.length > 0 || isDeepStrictEqual(before, after)) return changes;
  const what = "only the notation changes";
  return [told("the document", { impact: "documentation", what, because: "Nothing changes for clients." })];
}

function told(place: string, change: PartChange, subject = ""): Change {
  const { impact, at } = change;
  return { impact, place, message: sentences(subject, change), ...(at && { at }) };
}

function webhookChanges(documents: Documents, { before, after }: { before: Node; after: Node }): Change[] {
  const webhooks = paired(documents, { before: before["webhooks"], after: after["webhooks"] });
  return webhooks.flatMap(([name, item]) =>
    calledChanges(documents, name, item).map((change) => told(`webhooks/${name}`, change, "the webhook")),
  );
}

/** The names of schemas do not travel, but generated clients name types by them. */
function namedSchemaChanges(documents: Documents): Change[] {
  const schemasOf = ({ components }: Documents["before"]) => (components as Node | undefined)?.["schemas"];
  const schemas = paired(documents, { before: schemasOf(documents.before), after: schemasOf(documents.after) });
  return schemas.flatMap(([name, { before, after }]): Change[] => {
    const place = `components/schemas/${name}`;
    if (after === undefined) {
      const because = "Generated clients name a type after it.";
      return [told(place, { impact: "breaking", what: "is removed", because }, "the schema")];
    }
    if (before !== undefined) return [];
    const because = "Generated clients get one more type.";
    return [told(place, { impact: "additive", what: "is added", because, at: { node: after } }, "the schema")];
  });
}
