import { excerpt } from "../../../packages/express-operations/src/eov/excerpt.ts";
import type { OpenApiDocument } from "express-operations";
import { operationsOf } from "openapi-document";
import { githubDocument } from "../../../packages/express-operations/test/fixtures/github.ts";

/** The operation that is measured, in every document: GitHub's list of a user's public keys. */
export const MEASURED = "users/list-public-keys-for-user";

/** The response body of the measured operation, the same for each contender. */
export function keysOf(username: string, perPage: number): { id: number; key: string }[] {
  return [1, 2].map((id) => ({ id: id * perPage, key: `ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI ${username}` }));
}

/** Which documents there are: synthetic ones by their number of operations, and GitHub's. */
export type DocumentName = "3" | "1000" | "github";

/** The document of a name. In synthetic ones the measured operation stands in the middle, with all it refers to. */
export function documentNamed(name: DocumentName): OpenApiDocument {
  const github = githubDocument();
  if (name === "github") return github;
  const { method, path, operation } = operationsOf(github).find(({ id }) => id === MEASURED)!;
  const { document } = excerpt(github, method, operation);
  const fillers = Array.from({ length: Number(name) - 1 }, (_, index) =>
    index % 2 === 0 ? filler("a", index) : filler("z", index),
  );
  return { ...document, paths: { ...Object.fromEntries(fillers), [path]: Object.values(document.paths!)[0] } };
}

function filler(letter: string, at: number): [path: string, item: object] {
  const parameters = [
    { name: "id", in: "path", required: true, schema: { type: "integer" } },
    { name: "limit", in: "query", schema: { type: "integer", default: 10 } },
  ];
  const responses = { 200: { description: "", content: { "application/json": { schema: {} } } } };
  return [`/${letter}${at}/{id}`, { get: { operationId: `${letter}${at}`, parameters, responses } }];
}
