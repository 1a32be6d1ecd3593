import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "@platform/test-support/temporary";
import type { OpenApiDocument } from "openapi-document";
import { describe, expect, test } from "vitest";
import { compareContracts, type ContractChange, contractChanges } from "../src/comparison/compare.ts";
import { decided } from "../src/comparison/decisions.ts";
import { entriesOf } from "../src/comparison/entries.ts";
import { bundle } from "../src/bundle.ts";
import { formatEntries } from "../src/output.ts";

type Json = Record<string, unknown>;

const ref = (name: string, section = "schemas") => ({ $ref: `#/components/${section}/${name}` });
const content = (schema: unknown) => ({ content: { "application/json": { schema } } });
const responding = (schema: unknown) => ({ responses: { "200": { description: "Done.", ...content(schema) } } });

/** Returns a contract whose operations are named by method and path. */
function contract(operations: Json, components: Json = {}): OpenApiDocument {
  const paths: Record<string, Json> = {};
  for (const [name, operation] of Object.entries(operations)) {
    const [method, path] = name.split(" ") as [string, string];
    paths[path] = { ...paths[path], [method.toLowerCase()]: operation };
  }
  const document = { openapi: "3.1.1", info: { title: "Shop", version: "1.0.0" }, paths, components };
  return JSON.parse(JSON.stringify(document)) as OpenApiDocument;
}

const changesOf = (before: OpenApiDocument, after: OpenApiDocument): ContractChange[] =>
  compareContracts({ before, after }).map((change) => {
    const { at: _, ...unplaced } = change;
    return unplaced;
  });

const linesOf = (changes: ContractChange[]) =>
  formatEntries(entriesOf(changes), "text")
    .split("\n")
    .map((line) => line.trim());

const MANY = Array.from({ length: 12 }, (_, index) => `GET /a${index}`);
const STATUS = (...values: string[]) => ({ schemas: { Status: { type: "string", enum: values } } });
const OPERATIONS = {
  ...Object.fromEntries(MANY.map((name) => [name, responding({ type: "array", items: ref("Status") })])),
  "PUT /status": { requestBody: content(ref("Status")), responses: {} },
};
const ADDED = changesOf(contract(OPERATIONS, STATUS("old")), contract(OPERATIONS, STATUS("old", "new")));

describe("a change of a shared schema", () => {
  test("is one entry, rated by its worst, with the operations that it reaches in each direction", () => {
    expect(linesOf(ADDED)).toEqual([
      'breaking      components/schemas/Status: The value "new" is added.',
      `Breaking in the response of 12 operations: ${MANY.slice(0, 10).join(", ")}, and 2 more. Widens the response: clients may not understand the new values.`,
      "Additive in the request of 1 operation: PUT /status. Widens the request: the service accepts more.",
    ]);
  });

  test("is one annotation", () => {
    expect(formatEntries(entriesOf(ADDED), "github").split("\n")).toEqual([
      expect.stringMatching(
        /^::error title=breaking::components\/schemas\/Status: .+%0ABreaking in the response of 12 /,
      ),
    ]);
  });

  test("has all operations in JSON, and in the whole report", () => {
    const { entries } = JSON.parse(formatEntries(entriesOf(ADDED), "json")) as {
      entries: { changes: ContractChange[] }[];
    };
    expect(entries.map(({ changes }) => changes.map(({ place }) => place))).toEqual([[...MANY, "PUT /status"]]);
    expect(entries[0]!.changes[0]).toEqual({
      impact: "breaking",
      place: "GET /a0",
      direction: "response",
      message: expect.stringMatching(/^Response 200, field "\[\]": the value "new" is added\. /) as string,
    });
    expect(formatEntries(entriesOf(ADDED), "text", { isWhole: true })).toContain(`${MANY.join(", ")}. Widens`);
  });

  test("is one entry with others that reach the same operations", () => {
    const pet = (properties: Json) => ({ schemas: { Pet: { type: "object", properties } } });
    const operations = { "GET /a": responding(ref("Pet")), "GET /b": responding({ items: ref("Pet") }) };
    const [before, after] = [pet({ name: {} }), pet({ name: {}, age: {}, owner: {} })];
    expect(linesOf(changesOf(contract(operations, before), contract(operations, after)))).toEqual([
      'additive      components/schemas/Pet: Field "age" is added. Field "owner" is added. Clients ignore unknown fields.',
      "In the response of 2 operations: GET /a, GET /b",
    ]);
  });

  test("is that of the schema that an `allOf` combines, for a removal too", () => {
    const schemas = (properties: Json) => ({
      Base: { type: "object", properties: { box: { type: "object", properties } } },
      Cat: { allOf: [ref("Base"), { properties: { claws: {} } }] },
      Dog: { allOf: [ref("Base"), { properties: { bark: {} } }] },
    });
    const operations = { "GET /cat": responding(ref("Cat")), "GET /dog": responding(ref("Dog")) };
    const [before, after] = [{ a: { type: "string" }, b: {} }, { a: { type: "integer" } }];
    expect(
      linesOf(
        changesOf(
          contract(operations, { schemas: schemas(before) }),
          contract(operations, { schemas: schemas(after) }),
        ),
      ).filter((line) => !line.startsWith("In ")),
    ).toEqual([
      expect.stringMatching(/^breaking {6}components\/schemas\/Base: Field "box\.b" is removed\. /),
      expect.stringMatching(/^breaking {6}components\/schemas\/Base: Field "box\.a": the type changes /),
    ]);
  });
});

test("the added values of one field are one entry", () => {
  const document = (...values: string[]) => contract({ "GET /a": responding({ enum: values }) });
  expect(linesOf(changesOf(document("a"), document("a", "b", "c")))).toEqual([
    'breaking      GET /a: Response 200: the value "b" is added. The value "c" is added. Widens the response: clients may not understand the new values.',
  ]);
});

test("a schema that refers to another one than before has changed, and not the other one", () => {
  const schemas = (name: string) => ({
    One: { type: "string" },
    Two: { type: "integer" },
    Pet: { properties: { id: ref(name) } },
  });
  const operations = { "GET /a": responding(ref("Pet")), "GET /b": responding({ items: ref("Pet") }) };
  const [before, after] = ["One", "Two"].map((name) => contract(operations, { schemas: schemas(name) }));
  expect(linesOf(changesOf(before!, after!))[0]).toMatch(
    /^breaking {6}components\/schemas\/Pet: Field "id": the type changes/,
  );
  const direct = ["One", "Two"].map((name) =>
    contract({ "GET /a": responding(ref(name)) }, { schemas: schemas("One") }),
  );
  expect(linesOf(changesOf(direct[0]!, direct[1]!))).toEqual([
    expect.stringMatching(/^breaking {6}GET \/a: Response 200: the type changes/),
  ]);
});

test("a schema has changed for an operation that combines it with another one too", () => {
  const pet = (type: string) => ({ schemas: { Pet: { properties: { id: { type } } } } });
  const operations = (schema: unknown) => ({ "GET /a": responding(schema), "GET /b": responding(ref("Pet")) });
  const before = contract(operations(ref("Pet")), pet("string"));
  const after = contract(operations({ allOf: [ref("Pet"), { properties: { more: {} } }] }), pet("integer"));
  expect(linesOf(changesOf(before, after)).slice(0, 2)).toEqual([
    expect.stringMatching(
      /^breaking {6}components\/schemas\/Pet: Field "id": the type changes from string to integer\. /,
    ),
    "In the response of 2 operations: GET /a, GET /b",
  ]);
});

describe("an equal change of several operations is one entry", () => {
  const added = (part: (index: number) => Json) => {
    const operations = (isAfter: boolean) =>
      Object.fromEntries(
        MANY.map((name, index) => [name, isAfter ? part(index) : { responses: { "200": { description: "" } } }]),
      );
    return linesOf(changesOf(contract(operations(false)), contract(operations(true))));
  };
  const names = `${MANY.slice(0, 10).join(", ")}, and 2 more`;

  test("if it is a parameter, whatever its description", () => {
    const parameters = (index: number) => [
      { name: "trace", in: "query", description: `${index}`, schema: { type: "string" } },
    ];
    expect(added((index) => ({ parameters: parameters(index), responses: { "200": { description: "" } } }))).toEqual([
      'additive      12 operations: Query parameter "trace" is added. Clients need not send it.',
      names,
    ]);
  });

  test("if it is a header, whatever the status", () => {
    const header = { headers: { Trace: { schema: { type: "string" } } }, description: "" };
    const before = contract(
      Object.fromEntries(MANY.map((name, index) => [name, { responses: { [200 + index]: { description: "" } } }])),
    );
    const after = contract(
      Object.fromEntries(MANY.map((name, index) => [name, { responses: { [200 + index]: header } }])),
    );
    expect(linesOf(changesOf(before, after))).toEqual([
      'additive      12 operations: Response header "Trace" is added. Clients ignore unknown headers.',
      names,
    ]);
  });

  test("but not if the added parts differ", () => {
    const type = (index: number) => (index < 6 ? "string" : "integer");
    const parameters = (index: number) => [{ name: "trace", in: "query", schema: { type: type(index) } }];
    expect(
      added((index) => ({ parameters: parameters(index), responses: { "200": { description: "" } } })),
    ).toHaveLength(4);
  });

  test("and a removed operation is an entry of its own", () => {
    const operations = Object.fromEntries(MANY.map((name) => [name, { responses: {} }]));
    expect(linesOf(changesOf(contract(operations), contract({})))).toHaveLength(12);
  });
});

test("a change of a security scheme has the operations that require it", () => {
  const document = (scheme: string) => ({
    ...contract(
      { "GET /a": { responses: {} }, "PUT /a": { responses: {} }, "GET /health": { security: [], responses: {} } },
      { securitySchemes: { key: { type: "http", scheme }, other: { type: "http", scheme } } },
    ),
    security: [{ key: [] }],
  });
  expect(linesOf(changesOf(document("basic"), document("bearer")))).toEqual([
    'breaking      components/securitySchemes/key: `scheme` changes from "basic" to "bearer". Clients have to authenticate in another way.',
    "In 2 operations: GET /a, PUT /a",
    expect.stringMatching(/^breaking {6}components\/securitySchemes\/other: `scheme` changes/),
  ]);
});

describe("an approval", () => {
  const approval = { reason: "Nobody reads it.", by: "Ada", until: "2030-01-31" };
  const linesWith = (place: string, change?: string) => {
    const approved = [{ place, ...approval, ...(change && { change }) }];
    return linesOf(decided(ADDED, { severity: [], approved }, "2030-01-01"));
  };

  test("of one operation applies to that operation alone", () => {
    const [first, breaking, approved] = linesWith("GET /a3");
    expect(first).toMatch(/^breaking /);
    expect(breaking).toMatch(/^Breaking in the response of 11 operations: GET \/a0, GET \/a1, GET \/a2, GET \/a4, /);
    expect(approved).toBe(
      "Approved in the response of 1 operation: GET /a3. Approved by Ada until 2030-01-31: Nobody reads it.",
    );
  });

  test("of a component applies to each operation that its change reaches", () => {
    expect(linesWith("components/schemas/Status", 'The value "new"')[0]).toMatch(/^approved /);
    expect(linesWith("components/schemas/Status", 'The value "old"')[0]).toMatch(/^breaking /);
  });
});

test("documentation is one entry for each keyword, in operations and components", () => {
  const described = (description: string) =>
    contract(Object.fromEntries(MANY.map((name) => [name, { summary: description, responses: {} }])), {
      schemas: { Pet: { description, properties: { name: { description } } } },
    });
  expect(linesOf(changesOf(described("a"), described("b"))).filter((line) => line.startsWith("doc"))).toEqual([
    "documentation 12 operations: `summary` changes. A description promises nothing.",
    "documentation 2 places: `description` changes. A description promises nothing.",
  ]);
});

describe("the lines of an entry", () => {
  test("are at most 12", () => {
    const long = (count: number) => STATUS(...Array.from({ length: count }, (_, index) => `v${index}`));
    const [entry] = entriesOf(changesOf(contract(OPERATIONS, long(30)), contract(OPERATIONS, long(2))));
    expect(entry!.changes.length).toBeGreaterThan(12);
    const report = formatEntries(entriesOf(entry!.changes), "markdown");
    const [, hunk] = /```diff\n([^]*?)\n```/.exec(report)!;
    expect(hunk!.split("\n")).toHaveLength(12);
  });

  test("are those of both contracts, in whichever file", async () => {
    const folder = await temporaryFolder();
    mkdirSync(join(folder, "schemas"));
    const file = join(folder, "openapi.yaml");
    const pet = (maximum: number) =>
      JSON.stringify({ type: "object", properties: { age: { type: "integer", maximum } } });
    const operation = { requestBody: content({ $ref: "./schemas/pet.json" }), responses: {} };
    writeFileSync(file, JSON.stringify(contract({ "POST /a": operation, "PUT /a": operation })));
    writeFileSync(join(folder, "schemas/pet.json"), pet(30));
    const before = await bundle(file);
    writeFileSync(join(folder, "schemas/pet.json"), pet(20));
    const report = formatEntries(entriesOf(await contractChanges(before, await bundle(file), file)), "markdown");
    expect(report).toMatch(
      /components\/schemas\/pet<\/code>: Field "age": `maximum` changes from 30 to 20\. .+pet\.json:1\)/,
    );
    expect(report).toContain("In the request of 2 operations");
    expect(report).toContain("properties/age @@\n- maximum: 30\n+ maximum: 20\n");
  });
});
