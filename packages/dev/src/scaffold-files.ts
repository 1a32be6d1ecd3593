import { basename } from "node:path";
import { tagOf } from "@platform/contract-tools/aliases";
import { exampleRequest } from "@platform/contract-tools/curl-examples";
import { type OpenApiDocument, type OperationEntry, propertyKey, RESERVED_WORDS } from "openapi-document";

/**
 * The files for the code of an operation, by path from the root of the repository. Each tag of the contract has a folder.
 * An operation belongs to the tag that `tagOf` returns.
 */
export interface Place {
  /** The tag, as the contract spells it. */
  tag: string;
  handlersFile: string;
  /** The constant that holds the handlers of the tag. */
  handlersName: string;
  /** The file and the constant that register the tag as a resource. */
  resourceFile: string;
  resourceName: string;
  testFile: string;
}

/** The file that lists all resources. */
export const REGISTRATIONS = "apps/server/src/registrations.ts";

/** Constants of the file that lists all resources. */
const TAKEN = new Set(["apiKeys", "handlers", "handlersOf", "tablesOf"]);

/**
 * Places `listOrders` with the tag `Store` in `resources/store/store.handlers.ts`, its test in `store/list-orders.test.ts`. Tags
 * that differ only in case or punctuation share a folder name with a number behind it.
 */
export function placeOf(entry: OperationEntry, entries: OperationEntry[] = [entry]): Place {
  const { id } = entry;
  const tag = tagOf(entry);
  const tags = [...new Set(entries.map(tagOf))];
  const sameWords = tags.filter((other) => wordsOf(other).join("-") === wordsOf(tag).join("-"));
  const count = sameWords.indexOf(tag);
  const words = [...wordsOf(tag), ...(count > 0 ? [String(count + 1)] : [])];
  const folder = words.join("-");
  const [first = "", ...others] = words;
  const joined = first + others.map((word) => word[0]!.toUpperCase() + word.slice(1)).join("");
  const isTaken = /^\d/.test(joined) || RESERVED_WORDS.has(joined) || TAKEN.has(joined);
  const name = isTaken ? `the${joined[0]!.toUpperCase()}${joined.slice(1)}` : joined;
  return {
    tag,
    handlersFile: `apps/server/src/resources/${folder}/${folder}.handlers.ts`,
    handlersName: `${name}Handlers`,
    resourceFile: `apps/server/src/resources/${folder}/index.ts`,
    resourceName: name,
    testFile: `apps/server/test/${folder}/${kebab(id)}.test.ts`,
  };
}

/** Adds a stub for the operation to the handlers of its tag. The stub compiles, and responds to valid requests with 501. */
export function withStub(handlers: string | undefined, { id }: OperationEntry, place: Place, contract: string): string {
  const stub = `  ${propertyKey(id)}: stub(),`;
  if (handlers === undefined) return handlersFileOf([id], place, contract);
  const withImport = handlers.includes(STUB_IMPORT)
    ? handlers
    : handlers.replace(/(?=^import type \{[^}]*\} from "express-operations";)|^(?!import )/m, `${STUB_IMPORT}\n`);
  return insertAt(withImport, /(?=\n\} satisfies Handlers<)/, `\n\n${stub}`, place.handlersFile);
}

const STUB_IMPORT = 'import { stub } from "@platform/service/stub";';

/** Returns handlers of a tag, each a stub. `contract` is the name of the contract's package. */
export function handlersFileOf(ids: string[], { tag, handlersName }: Place, contract: string): string {
  const stubs = ids.map((id) => `  ${propertyKey(id)}: stub(),`).join("\n");
  return `import type { OperationIdsByTag, OperationsWithDefaults } from "${contract}";
${STUB_IMPORT}
import type { Handlers } from "express-operations";
import type { Context } from "../context.ts";

/** The operations tagged ${phrase(tag)}. */
export const ${handlersName} = {
${stubs}
} satisfies Handlers<Pick<OperationsWithDefaults, OperationIdsByTag[${JSON.stringify(tag)}]>, Context>;
`;
}

/** Returns a tag as part of a comment. */
function phrase(tag: string): string {
  return tag.replaceAll(/[\s*]+/g, " ").trim();
}

/** Returns the registration of a tag with handlers and without tables. */
export function resourceFileOf({ tag, handlersFile, handlersName, resourceName }: Place): string {
  return `import type { Resource } from "../resource.ts";
import { ${handlersName} } from "./${basename(handlersFile)}";

/** The handlers and tables of the operations tagged ${phrase(tag)}. */
export const ${resourceName}: Resource<typeof ${handlersName}> = {
  handlers: ${handlersName},
  tables: {},
};
`;
}

/** Adds the resource of a tag to the file that lists all resources. */
export function withResource(all: string, { resourceFile, resourceName }: Place): string {
  const resourceImport = `import { ${resourceName} } from "./${resourceFile.slice("apps/server/src/".length)}";`;
  if (all.includes(resourceImport)) return all;
  const places: [RegExp, string][] = [
    [/(?=\n\n\/\*\*)/, `\n${resourceImport}`],
    [/(?=\] as const;)/, `, ${resourceName}`],
  ];
  return places.reduce((text, [place, insertion]) => insertAt(text, place, insertion, REGISTRATIONS), all);
}

/** Returns a test that expects the success status for the example request. It fails until the handler is written. */
export function testOf(document: OpenApiDocument, entry: OperationEntry): string {
  const { call, status } = exampleCall(document, entry);
  return `import { expect, test } from "vitest";
import { startService } from "../../testing/service.ts";

test("${entry.id} answers with ${status}", async () => {
  await using service = await startService();
  const response = await ${call};
  expect(response.status, "${entry.id} is not implemented yet").toBe(${status});
});
`;
}

/**
 * Returns the code that sends the example request of an operation, and its success status. Throws if the document has no
 * example of a required value.
 */
export function exampleCall(document: OpenApiDocument, entry: OperationEntry): { call: string; status: string } {
  const { method, target, headers, body } = exampleRequest(document, entry);
  const status = Object.keys(entry.operation.responses ?? {}).find((key) => /^2\d\d$/.test(key)) ?? "200";
  const isJson = headers["content-type"] === "application/json";
  const init = [
    ...(method === "GET" ? [] : [`method: "${method}"`]),
    ...(Object.keys(headers).length === 0 ? [] : [`headers: ${JSON.stringify(headers)}`]),
    ...(typeof body === "string" ? [`body: ${isJson ? `JSON.stringify(${body})` : JSON.stringify(body)}`] : []),
  ];
  const options = init.length === 0 ? "" : `, { ${init.join(", ")} }`;
  return { call: `service.request(${JSON.stringify(target)}${options})`, status };
}

function wordsOf(tag: string): string[] {
  const words = tag.split(/[^A-Za-z0-9]+/).filter((word) => word !== "");
  return words.map((word) => word.toLowerCase());
}

function insertAt(text: string, place: RegExp, insertion: string, file: string): string {
  if (!place.test(text)) throw new Error(`${file} does not have the expected form. Add the operation by hand.`);
  return text.replace(place, () => insertion);
}

function kebab(id: string): string {
  const words = id.replaceAll(/([a-z0-9])([A-Z])/g, "$1-$2").split(/[^A-Za-z0-9]+/);
  return words
    .filter((word) => word !== "")
    .join("-")
    .toLowerCase();
}
