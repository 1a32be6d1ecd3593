import { basename } from "node:path";
import { exampleRequests } from "express-operations/conformance";
import type { OpenApiDocument, OperationEntry } from "express-operations/reading";

/** The files for the code of an operation, by path from the root of the repository. Each tag of the contract has a folder. */
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

/** Places `listOrders` with the tag `Store` in `resources/store/store.handlers.ts`, its test in `store/list-orders.test.ts`. */
export function placeOf({ id, operation }: OperationEntry): Place {
  const { tags: [tag = "General"] = [] } = operation;
  const words = tag.split(/[^A-Za-z0-9]+/).filter((word) => word !== "");
  const folder = words.join("-").toLowerCase();
  const [first = "", ...others] = words;
  const name = first.toLowerCase() + others.map((word) => word[0]!.toUpperCase() + word.slice(1)).join("");
  return {
    tag,
    handlersFile: `apps/server/src/resources/${folder}/${folder}.handlers.ts`,
    handlersName: `${name}Handlers`,
    resourceFile: `apps/server/src/resources/${folder}/index.ts`,
    resourceName: name,
    testFile: `apps/server/test/${folder}/${kebab(id)}.test.ts`,
  };
}

/** Adds a stub for the operation to the handlers of its tag. The stub compiles and fails each request. */
export function withStub(handlers: string | undefined, { id }: OperationEntry, place: Place): string {
  const { tag, handlersFile, handlersName } = place;
  const stub = `
  async ${id}(): Promise<never> {
    throw new Error("${id} is not implemented yet. Write it in ${handlersFile}.");
  },
`;
  if (handlers !== undefined)
    return insertAt(handlers, /(?=\n\} satisfies Handlers<)/, `\n${stub.trimEnd()}`, handlersFile);
  return `import type { OperationIdsByTag, OperationsWithDefaults } from "@petstore/contract";
import type { HandlerContext } from "@platform/api-keys/handler-context";
import type { Handlers } from "express-operations";

/** The operations tagged ${tag}. */
export const ${handlersName} = {${stub}} satisfies Handlers<Pick<OperationsWithDefaults, OperationIdsByTag["${tag}"]>, HandlerContext>;
`;
}

/** Returns the registration of a tag with handlers and without tables. */
export function resourceFileOf({ tag, handlersFile, handlersName, resourceName }: Place): string {
  return `import type { Resource } from "../resource.ts";
import { ${handlersName} } from "./${basename(handlersFile)}";

/** The handlers and tables of the operations tagged ${tag}. */
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
  const paths = Object.entries(document.paths ?? {}).filter(([path]) => path === entry.path);
  const ofPath = { ...document, paths: Object.fromEntries(paths) }; // so that missing examples of other paths do not matter
  const example = exampleRequests(ofPath).find(({ operationId }) => operationId === entry.id)!;
  const { method, target, headers, body } = example;
  const status = Object.keys(entry.operation.responses ?? {}).find((key) => /^2\d\d$/.test(key)) ?? "200";
  const isJson = headers["content-type"] === "application/json";
  const init = [
    ...(method === "GET" ? [] : [`method: "${method}"`]),
    ...(Object.keys(headers).length === 0 ? [] : [`headers: ${JSON.stringify(headers)}`]),
    ...(typeof body === "string" ? [`body: ${isJson ? `JSON.stringify(${body})` : JSON.stringify(body)}`] : []),
  ];
  const options = init.length === 0 ? "" : `, { ${init.join(", ")} }`;
  return `import { expect, test } from "vitest";
import { startService } from "../../testing/service.ts";

test("${entry.id} answers with ${status}", async () => {
  await using service = await startService();
  const response = await service.request(${JSON.stringify(target)}${options});
  expect(response.status, "${entry.id} is not implemented yet").toBe(${status});
});
`;
}

function insertAt(text: string, place: RegExp, insertion: string, file: string): string {
  if (!place.test(text)) throw new Error(`${file} does not have the expected form. Add the operation by hand.`);
  return text.replace(place, () => insertion);
}

function kebab(id: string): string {
  return id.replaceAll(/([a-z0-9])([A-Z])/g, "$1-$2").toLowerCase();
}
