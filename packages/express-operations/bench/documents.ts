import { type OperationEntry, operationsOf } from "../src/document.ts";
import type { OpenApiDocument } from "../src/index.ts";
import { githubDocument } from "../test/fixtures/github.ts";

/** The operation that is measured, in every document: GitHub's list of a user's public keys. */
export const MEASURED = "users/list-public-keys-for-user";

/** Which documents there are: synthetic ones by their number of operations, and GitHub's. */
export type DocumentName = "3" | "100" | "1000" | "github";

/** The document of a name. In synthetic ones the measured operation stands in the middle. */
export function documentNamed(name: DocumentName): OpenApiDocument {
  const github = githubDocument();
  if (name === "github") return github;
  const measured = operationsOf(github).find(({ id }) => id === MEASURED)!;
  const fillers = Array.from({ length: Number(name) - 1 }, (_, at) =>
    at % 2 === 0 ? filler("a", at) : filler("z", at),
  );
  return {
    openapi: github.openapi,
    info: { title: name, version: "1" },
    paths: { ...Object.fromEntries(fillers), [measured.path]: { get: standalone(measured) } },
  } as OpenApiDocument;
}

const json = (schema: object) => ({ 200: { description: "", content: { "application/json": { schema } } } });

/** The measured operation without references, for a document that holds nothing else of GitHub's. */
function standalone({ id, parameters }: OperationEntry) {
  const properties = { id: { type: "integer" }, key: { type: "string" } };
  const keys = { type: "array", items: { type: "object", required: ["id", "key"], properties } };
  return { operationId: id, parameters, responses: json(keys) };
}

function filler(letter: string, at: number): [path: string, item: object] {
  const parameters = [
    { name: "id", in: "path", required: true, schema: { type: "integer" } },
    { name: "limit", in: "query", schema: { type: "integer", default: 10 } },
  ];
  return [`/${letter}${at}/{id}`, { get: { operationId: `${letter}${at}`, parameters, responses: json({}) } }];
}
