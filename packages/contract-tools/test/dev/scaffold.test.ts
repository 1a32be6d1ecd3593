import { spawnSync } from "node:child_process";
import { delimiter, join } from "node:path";
import { root as repository } from "@platform/test-support/clone";
import { type OpenApiDocument, operationsOf } from "openapi-document";
import { describe, expect, test } from "vitest";
import { type Place, placeOf, resourceFileOf, testOf, withResource, withStub } from "../../src/dev/scaffold-files.ts";
import { smallCheckout } from "./small-checkout.ts";
import { operationOn, SMALL_CONTRACT } from "./small-contract.ts";

const REGISTRATIONS = "apps/server/src/registrations.ts";
const THINGS = "apps/server/src/resources/things/things.handlers.ts";
const OTHERS = "apps/server/src/resources/others/others.handlers.ts";
const OTHERS_INDEX = "apps/server/src/resources/others/index.ts";
const OTHERS_TEST = "apps/server/test/others/list-others.test.ts";

const registrations = `import { things } from "./resources/things/index.ts";

/** All. */
const REGISTRATIONS = [things] as const;
`;

test("scaffold writes the stub of a handler and its test once, in the folders of its tag", () => {
  const { root, read, write } = smallCheckout();
  const path = join(repository, "node_modules/.bin") + delimiter + process.env["PATH"];
  const scaffold = (...words: string[]): [number | null, string] => {
    const program = join(root, "packages/contract-tools/src/dev/scaffold.ts");
    const options = { cwd: root, env: { ...process.env, PATH: path }, encoding: "utf8" } as const;
    const { status, stdout, stderr } = spawnSync(process.execPath, [program, ...words], options);
    return [status, stdout + stderr];
  };
  const added = [operationOn("/all", "listAllThings", "Things"), operationOn("/others", "listOthers", "Others")];
  write("openapi/openapi.yaml", SMALL_CONTRACT.replace("\ncomponents:", `${added.join("")}\ncomponents:`));
  write(THINGS, "export const thingsHandlers = {\n  async listThings()    {},\n} satisfies Handlers<X>;\n");
  write("apps/server/src/resources/things/index.ts", "export const things = {};\n");
  write(REGISTRATIONS, registrations);

  expect(scaffold()).toEqual([
    2,
    expect.stringMatching(
      /^error: Name an operation of the contract: listThings, listAllThings, listOthers\. Add a new one to openapi\/openapi\.yaml first\.\n/,
    ),
  ]);
  const testFile = "apps/server/test/things/list-all-things.test.ts";
  expect(scaffold("listAllThings")).toEqual([
    0,
    `wrote ${THINGS}\nwrote ${testFile}\nWrite listAllThings in ${THINGS}. The test ${testFile} sends the example of the contract. Add the data that it needs.\n`,
  ]);
  expect(read(THINGS)).toBe(`import { stub } from "@openapi-operations/service/stub";
export const thingsHandlers = {
  async listThings() {},

  listAllThings: stub(),
} satisfies Handlers<X>;
`);
  expect(read(testFile)).toContain('await service.request("/all");');
  expect(scaffold("listAllThings")).toEqual([
    1,
    `listAllThings already has a handler in ${THINGS}. Nothing was written.\n`,
  ]);

  // An existing test is kept, and a file that cannot be formatted is written unformatted.
  write(OTHERS_TEST, "// Begun.\n");
  write(REGISTRATIONS, `${read(REGISTRATIONS)}}`);
  expect(scaffold("listOthers")).toEqual([
    0,
    `wrote ${OTHERS}\nwrote ${OTHERS_INDEX}\nwrote ${REGISTRATIONS}\nWrite listOthers in ${OTHERS}. The test ${OTHERS_TEST} sends the example of the contract. Add the data that it needs.\n`,
  ]);
  expect(read(OTHERS)).toMatch(
    /^export const othersHandlers = \{\n {2}listOthers: stub\(\),\n\} satisfies Handlers</ms,
  );
  expect(read(REGISTRATIONS)).toBe(`import { things } from "./resources/things/index.ts";
import { others } from "./resources/others/index.ts";

/** All. */
const REGISTRATIONS = [things, others] as const;
}`);
  expect(read(OTHERS_TEST)).toBe("// Begun.\n");
});

type Json = Record<string, unknown>;

function operation(method: string, more: Json = {}, path = "/orders") {
  const own = { operationId: "listOrders", tags: ["Store"], responses: { "200": { description: "" } }, ...more };
  const document = {
    openapi: "3.1.1",
    paths: { [path]: { [method]: own }, "/other": {} },
  } as unknown as OpenApiDocument;
  return { document, entry: operationsOf(document)[0]! };
}

const STORE: Place = placeOf(operation("get").entry);

// cspell:ignore облікові записи أيام
describe("the code of an operation belongs in the folder of its first tag", () => {
  test.each<[id: string, tags: string[] | undefined, folder: string, name: string, file: string]>([
    ["listOrders", ["Store", "Other"], "store", "store", "list-orders"],
    ["getV2Order", ["Pet store / back room"], "pet-store-back-room", "petStoreBackRoom", "get-v2-order"],
    ["ping", undefined, "orders", "orders", "ping"],
    ["getOrder_by-id", ["New"], "new", "theNew", "get-order-by-id"],
    ["ping", ["(Back) room!"], "back-room", "backRoom", "ping"],
    ["動物一覧", ["動物"], "動物", "動物", "動物一覧"],
    ["ping", ["Облікові записи"], "облікові-записи", "обліковіЗаписи", "ping"],
    ["ping", ["❤️ Health"], "health", "health", "ping"],
    ["ping", ["٣ أيام"], "٣-أيام", "the٣أيام", "ping"],
  ])("%s, %o", (operationId, tags, folder, name, file) => {
    expect(placeOf(operation("get", { operationId, tags }).entry)).toEqual({
      tag: tags?.[0] ?? "orders",
      handlersFile: `apps/server/src/resources/${folder}/${folder}.handlers.ts`,
      handlersName: `${name}Handlers`,
      resourceFile: `apps/server/src/resources/${folder}/index.ts`,
      resourceName: name,
      testFile: `apps/server/test/${folder}/${file}.test.ts`,
    });
  });
});

test.each([
  [
    "case or punctuation",
    ["Back room", "back-room", "other", "BACK ROOM"],
    ["backRoom", "backRoom2", "other", "backRoom3"],
  ],
  ["a number", ["pets", "Pets", "pets 2", "Pets2"], ["pets", "pets2", "pets22", "pets23"]],
  ["a prefix", ["New", "the new"], ["theNew", "theNew2"]],
  ["a constant of the list", ["handlers", "API keys", "the handlers"], ["theHandlers", "theApiKeys", "theHandlers2"]],
  ["their form in Unicode", ["caf\u00E9", "cafe\u0301"], ["caf\u00E9", "caf\u00E92"]],
])("tags that differ only in %s have constants and folders of their own", (_, tags, names) => {
  const entries = tags.map((tag) => operation("get", { tags: [tag] }).entry);
  const places = entries.map((entry) => placeOf(entry, entries));
  expect(places.map(({ resourceName }) => resourceName)).toEqual(names);
  expect(new Set(places.map(({ handlersFile }) => handlersFile)).size).toBe(tags.length);
});

describe("the stub of a handler", () => {
  const { entry } = operation("get");

  test("is written to a new file, or after the other handlers of its tag", () => {
    const text = withStub(undefined, entry, STORE, "@shop/contract");
    expect(text).toBe(`import type { OperationIdsByTag, OperationsWithDefaults } from "@shop/contract";
import { stub } from "@openapi-operations/service/stub";
import type { Handlers } from "express-operations";
import type { Context } from "../context.ts";

/** The operations tagged Store. */
export const storeHandlers = {
  listOrders: stub(),
} satisfies Handlers<Pick<OperationsWithDefaults, OperationIdsByTag["Store"]>, Context>;
`);
    const before = "export const storeHandlers = {\n  a() {},\n} satisfies Handlers<X>;\n";
    expect(withStub(before, entry, STORE, "@shop/contract"))
      .toBe(`import { stub } from "@openapi-operations/service/stub";
export const storeHandlers = {
  a() {},

  listOrders: stub(),
} satisfies Handlers<X>;
`);
  });

  test("is rejected if the file has another form", () => {
    expect(() => withStub("export {};", entry, STORE, "@shop/contract")).toThrow(
      `${STORE.handlersFile} does not have the expected form. Add the operation by hand.`,
    );
  });
});

test("the registration of a tag has its handlers and no tables", () => {
  expect(resourceFileOf(STORE)).toBe(`import type { Resource } from "@openapi-operations/storage/registration";
import { storeHandlers } from "./store.handlers.ts";

/** The handlers and tables of the operations tagged Store. */
export const store: Resource<typeof storeHandlers> = {
  handlers: storeHandlers,
  tables: {},
};
`);
});

test("withResource registers a tag's resource once", () => {
  const all = `import { a } from "./a/index.ts";

/** All. */
const REGISTRATIONS = [a, b] as const;
`;
  const joined = withResource(all, STORE);
  expect(joined).toBe(`import { a } from "./a/index.ts";
import { store } from "./resources/store/index.ts";

/** All. */
const REGISTRATIONS = [a, b, store] as const;
`);
  expect(withResource(joined, STORE)).toBe(joined);
  expect(() => withResource("", STORE)).toThrow("apps/server/src/registrations.ts does not have the expected form");
});

describe("the test of an operation sends its example", () => {
  const written = (method: string, more?: Json, path?: string) => {
    const { document, entry } = operation(method, more, path);
    return testOf(document, entry, placeOf(entry));
  };
  const body = (type: string, example: unknown) => ({
    requestBody: { required: true, content: { [type]: { example } } },
  });

  test("even if another operation has no example", () => {
    const { document, entry } = operation("get");
    const other = { post: { operationId: "other", requestBody: { required: true, content: { "text/csv": {} } } } };
    const whole = { ...document, paths: { ...document.paths, "/other": other } } as unknown as OpenApiDocument;
    expect(testOf(whole, entry, placeOf(entry))).toContain('service.request("/orders");');
  });

  test("in a complete test file", () => {
    expect(written("get")).toBe(`import { expect, test } from "vitest";
import { startService } from "../../testing/service.ts";

test("listOrders answers with 200", async () => {
  await using service = await startService();
  const response = await service.request("/orders");
  expect(response.status, "listOrders is not implemented yet").toBe(200);
});
`);
  });

  test.each<[name: string, method: string, more: Json, call: string, status: string]>([
    [
      "a method",
      "delete",
      { responses: { "404": {}, "206": {}, "204": {} } },
      '("/orders", { method: "DELETE" })',
      "204",
    ],
    [
      "a body of JSON",
      "post",
      { ...body("application/json", { a: 1 }), responses: { default: {}, "x-202": {} } },
      '("/orders", { method: "POST", headers: {"content-type":"application/json"}, body: JSON.stringify({"a":1}) })',
      "200",
    ],
    [
      "a body of text",
      "post",
      { ...body("text/plain", "a"), responses: { "2XX": {}, "12012": {}, "201": {} } },
      '("/orders", { method: "POST", headers: {"content-type":"text/plain"}, body: "a" })',
      "201",
    ],
  ])("with %s", (_name, method, more, call, status) => {
    const text = written(method, more);
    expect(text).toContain(`service.request${call};`);
    expect(text).toContain(`.toBe(${status});`);
  });
});
