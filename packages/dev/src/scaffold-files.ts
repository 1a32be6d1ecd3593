import { basename } from "node:path";
import { exampleRequests } from "express-operations/conformance";
import type { OpenApiDocument, OperationEntry } from "express-operations/reading";

/** Where the code of an operation belongs, from the root of the repository: a folder for each tag of the contract. */
export interface Place {
  /** The tag, as the contract spells it. */
  tag: string;
  handlersFile: string;
  /** The constant that holds the handlers of the tag. */
  handlersName: string;
  /** Where the tag is registered as a resource, and the constant that does so. */
  resourceFile: string;
  resourceName: string;
  testFile: string;
}

/** The file that lists all resources. */
export const REGISTRATIONS = "apps/server/src/registrations.ts";

/** `listOrders` with the tag `Store` belongs in `resources/store/store.handlers.ts`, its test in `store/list-orders.test.ts`. */
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

/** The handlers of a tag with a stub for the operation, which compiles and fails each request. */
export function withStub(handlers: string | undefined, { id }: OperationEntry, place: Place): string {
  const { tag, handlersFile, handlersName } = place;
  const stub = `
  async ${id}(): Promise<never> {
    throw new Error("${id} is not written yet: its place is ${handlersFile}.");
  },
`;
  if (handlers !== undefined)
    return insertAt(handlers, /(?=\n\} satisfies Handlers<)/, `\n${stub.trimEnd()}`, handlersFile);
  return `import type { OperationIdsByTag, OperationsWithDefaults } from "@petstore/contract";
import type { HandlerContext } from "@platform/api-keys/environment";
import type { Handlers } from "express-operations";

/** The operations tagged ${tag}. */
export const ${handlersName} = {${stub}} satisfies Handlers<Pick<OperationsWithDefaults, OperationIdsByTag["${tag}"]>, HandlerContext>;
`;
}

/** The registration of a tag that has handlers, and no tables yet. */
export function resourceFileOf({ tag, handlersFile, handlersName, resourceName }: Place): string {
  return `import type { Resource } from "../resource.ts";
import { ${handlersName} } from "./${basename(handlersFile)}";

/** What the operations tagged ${tag} bring. */
export const ${resourceName}: Resource<typeof ${handlersName}> = {
  handlers: ${handlersName},
  tables: {},
};
`;
}

/** The file that lists all resources, with that of a tag among them. */
export function withResource(all: string, { resourceFile, resourceName }: Place): string {
  const resourceImport = `import { ${resourceName} } from "./${resourceFile.slice("apps/server/src/".length)}";`;
  if (all.includes(resourceImport)) return all;
  const places: [RegExp, string][] = [
    [/(?=\n\n\/\*\*)/, `\n${resourceImport}`],
    [/(?=\] as const;)/, `, ${resourceName}`],
  ];
  return places.reduce((text, [place, insertion]) => insertAt(text, place, insertion, REGISTRATIONS), all);
}

/** A test that the operation answers its example with its success: it fails until the handler does so. */
export function testOf(document: OpenApiDocument, entry: OperationEntry): string {
  const paths = Object.entries(document.paths ?? {}).filter(([path]) => path === entry.path);
  const ofPath = { ...document, paths: Object.fromEntries(paths) }; // examples missing elsewhere are not its concern
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
  expect(response.status, "${entry.id} has to be written").toBe(${status});
});
`;
}

function insertAt(text: string, place: RegExp, insertion: string, file: string): string {
  if (!place.test(text))
    throw new Error(`${file} has another form than this command knows: add the operation by hand.`);
  return text.replace(place, () => insertion);
}

function kebab(id: string): string {
  return id.replaceAll(/([a-z0-9])([A-Z])/g, "$1-$2").toLowerCase();
}
