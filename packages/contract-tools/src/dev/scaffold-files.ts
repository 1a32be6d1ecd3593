import { readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { tagOf } from "../generate/aliases.ts";
import { exampleRequest } from "../generate/curl-examples.ts";
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
 * Places `listOrders` with the tag `Store` in `resources/store/store.handlers.ts`, its test in `store/list-orders.test.ts`. Letters
 * of each script stay. Tags that would share a constant, as those that differ only in case or punctuation, get a number.
 */
export function placeOf(entry: OperationEntry, entries: OperationEntry[] = [entry]): Place {
  const tag = tagOf(entry);
  const names = new Map<string, string[]>(); // the words of each tag by its constant
  for (const other of new Set(entries.map(tagOf))) {
    const words = wordsOf(other);
    let count = 1;
    const numbered = () => (count === 1 ? words : [...words, String(count)]);
    while (names.has(constantOf(numbered()))) count += 1;
    names.set(constantOf(numbered()), numbered());
    if (other === tag) break;
  }
  const [name, words] = [...names].at(-1)!;
  const folder = words.join("-");
  return {
    tag,
    handlersFile: `apps/server/src/resources/${folder}/${folder}.handlers.ts`,
    handlersName: `${name}Handlers`,
    resourceFile: `apps/server/src/resources/${folder}/index.ts`,
    resourceName: name,
    testFile: `apps/server/test/${folder}/${kebab(entry.id)}.test.ts`,
  };
}

function constantOf([first = "", ...others]: string[]): string {
  const joined = first + others.map((word) => word[0]!.toUpperCase() + word.slice(1)).join("");
  const isTaken = /^\P{ID_Start}/u.test(joined) || RESERVED_WORDS.has(joined) || TAKEN.has(joined);
  return isTaken ? `the${joined[0]!.toUpperCase()}${joined.slice(1)}` : joined;
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

const STUB_IMPORT = 'import { stub } from "@openapi-operations/service/stub";';

/** A resource with two operations, whose files are filled with the names of others. */
const TEMPLATE = join(import.meta.dirname, "../../template");

/** Returns a file of the template with the names of a resource, replaced in one pass so that none is taken for another. */
function filled(file: string, { tag, handlersFile, resourceName }: Place, contract = ""): string {
  const names: Record<string, string> = {
    "@museum/contract": contract,
    '"Special exhibits"': JSON.stringify(tag),
    "Special exhibits": tag.replaceAll(/[\s*]+/g, " ").trim(), // in a comment
    "special-exhibits": basename(handlersFile, ".handlers.ts"),
    specialExhibits: resourceName,
  };
  const text = readFileSync(join(TEMPLATE, file), "utf8");
  return text.replaceAll(new RegExp(Object.keys(names).join("|"), "g"), (name) => names[name]!);
}

/** Returns handlers of a tag, each a stub. `contract` is the name of the contract's package. */
export function handlersFileOf(ids: string[], place: Place, contract: string): string {
  const text = filled("src/resources/special-exhibits/special-exhibits.handlers.ts", place, contract);
  return text.replace(/(?:  \w+: stub\(\),\n)+/, () => ids.map((id) => `  ${propertyKey(id)}: stub(),\n`).join(""));
}

/** Returns the registration of a tag with handlers and without tables. */
export function resourceFileOf(place: Place): string {
  return filled("src/resources/special-exhibits/index.ts", place);
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
export function testOf(document: OpenApiDocument, entry: OperationEntry, place: Place): string {
  return withExample(filled("test/special-exhibits/list-exhibits.ts", place), document, entry);
}

/** Returns a test of each operation of a tag. It is skipped while the handler is a stub, and sends the example request if there is one. */
export function testsOf(document: OpenApiDocument, entries: OperationEntry[], place: Place): string {
  const [imports = "", written = "", unwritten = ""] = filled("test/special-exhibits.ts", place).split(/(?=\ntest\()/);
  const tests = entries.map((entry) => {
    try {
      return withExample(written, document, entry);
    } catch (error) {
      const texts = { addExhibit: entry.id, "The reason.": (error as Error).message };
      return unwritten.replaceAll(/addExhibit|The reason\./g, (text) => escaped(texts[text as keyof typeof texts]));
    }
  });
  const text = tests.join("");
  const needed = text.includes("startService") ? imports : imports.replace(/^.*startService.*\n/m, "");
  return needed + text;
}

/** Fills a test with the example request of an operation. Throws if the document has no example of a required value. */
function withExample(test: string, document: OpenApiDocument, entry: OperationEntry): string {
  const { call, status } = exampleCall(document, entry);
  const texts: Record<string, string> = {
    listExhibits: escaped(entry.id),
    'service.request("/exhibits")': call,
    "200": status,
  };
  return test.replaceAll(/listExhibits|service\.request\("\/exhibits"\)|\b200\b/g, (text) => texts[text]!);
}

/** Returns a text as part of a string of the code. */
function escaped(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

/** Returns the code that sends the example request of an operation, and its success status. */
function exampleCall(document: OpenApiDocument, entry: OperationEntry): { call: string; status: string } {
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

/** Returns the words of a tag in lower case; of their characters, those that an identifier can have. */
function wordsOf(tag: string): string[] {
  const words = tag
    .normalize("NFC")
    .toLowerCase()
    .split(/(?:_|\P{ID_Continue})+/u);
  const named = words.filter((word) => /[\p{L}\p{N}]/u.test(word)); // others are marks that are invisible by themselves
  return named.length === 0 ? ["tag"] : named;
}

function insertAt(text: string, place: RegExp, insertion: string, file: string): string {
  if (!place.test(text)) throw new Error(`${file} does not have the expected form. Add the operation by hand.`);
  return text.replace(place, () => insertion);
}

function kebab(id: string): string {
  return wordsOf(id.replaceAll(/([a-z0-9])([A-Z])/g, "$1-$2")).join("-");
}
