import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { defineConfig, loadConfig } from "../src/generate/config.ts";
import { loadContract } from "../src/generate/contract-source.ts";
import { typesOf } from "../src/generate/contract-types.ts";
import { generatedFiles } from "../src/generate/generated-files.ts";
import { findMismatches, writeFiles } from "../src/generate/main.ts";

const folder = mkdtempSync(join(tmpdir(), "config-"));
afterAll(() => rmSync(folder, { recursive: true }));

/** Writes a file and returns its path. */
function write(name: string, content: string | object): string {
  const path = join(folder, name);
  writeFileSync(path, typeof content === "string" ? content : JSON.stringify(content));
  return path;
}

const NONE = "has no configuration. Write an object with contract, output and name, or an array of them";
const own = { contract: "openapi.yaml", output: "client", name: "Things" };

describe("a configuration", () => {
  test("has absolute paths, of JSON and of modules", async () => {
    const url = "https://things.test/openapi.json";
    const path = write("a.json", { ...own, types: "schema.ts", version: "1" });
    expect(await loadConfig(path)).toEqual([
      {
        file: path,
        name: "Things",
        version: "1",
        contract: join(folder, "openapi.yaml"),
        output: join(folder, "client"),
        types: join(folder, "schema.ts"),
      },
    ]);
    const module = write(
      "a.mjs",
      `export default ${JSON.stringify({ ...own, contract: url, output: resolve("/tmp/x") })};`,
    );
    expect(await loadConfig(module)).toEqual([
      {
        file: module,
        name: "Things",
        contract: url,
        output: resolve("/tmp/x"),
      },
    ]);
    expect(defineConfig(own)).toBe(own);
  });

  test("is refused if the output of a client is that of another one, or in it", async () => {
    symlinkSync("client", join(folder, "link"));
    mkdirSync(join(folder, "client"));
    for (const [outer, inner] of [
      ["client", "client"],
      ["link", "client"],
      ["client", "client/in/it"],
      ["client", "link/in"],
    ] as const) {
      const path = write("b.json", [
        { ...own, output: inner },
        { ...own, output: outer },
      ]);
      const outputs = `${join(folder, outer)} and ${join(folder, inner)}`;
      await expect(loadConfig(path)).rejects.toThrow(
        `Two clients in ${path} have the outputs ${outputs}, which is the same folder or in it. Name another folder.`,
      );
    }
    expect(await loadConfig(write("b.json", [own, { ...own, output: "client-2" }]))).toHaveLength(2);
  });

  const texts = ["contract", "output", "name", "version", "types", "requestIdHeader", "idempotencyHeader"].concat([
    "publishedContract",
  ]);
  const FEATURES = '"contract-check", "enums", "errors", "testing", "react-query", "swr", "zod", "valibot"';
  test.each<[config: object | string, message: string]>([
    ...texts.map((name): [object, string] => [
      { ...own, [name]: {} },
      `The setting "${name}" in PATH is {}. Write a string.`,
    ]),
    ...["security", "error", "operations"].map((name): [object, string] => [
      { ...own, [name]: null },
      `The setting "${name}" in PATH is null. Write an object.`,
    ]),
    ...["pagination", "features"].map((name): [object, string] => [
      { ...own, [name]: {} },
      `The setting "${name}" in PATH is {}. Write an array.`,
    ]),
    ...(
      [
        [{ features: ["enums", "joi"] }, `The setting "features[1]" in PATH is "joi". Write one of ${FEATURES}.`],
        [{ features: [["zod"]] }, `The setting "features[0]" in PATH is ["zod"]. Write one of ${FEATURES}.`],
        [{ int64: "string" }, 'The setting "int64" in PATH is "string". Write one of "number", "bigint".'],
        [{ dates: "date" }, 'The setting "dates" in PATH is "date". Write one of "string", "Date", "Temporal".'],
        [{ importExtension: "js" }, 'The setting "importExtension" in PATH is "js". Write one of ".js", ".ts", "".'],
        [{ security: { key: 1 } }, 'The setting "security.key" in PATH is 1. Write a string.'],
        [
          { error: { shape: "E" } },
          'PATH has the unknown setting "error.shape". The settings are schema, code, message, transient.',
        ],
        [{ error: { schema: "E", transient: [5] } }, 'The setting "error.transient[0]" in PATH is 5. Write a string.'],
        [
          { pagination: [{ by: "pages" }] },
          'The setting "pagination[0].by" in PATH is "pages". Write one of "link", "cursor", "offset", "page".',
        ],
        [{ operations: { a: true } }, 'The setting "operations.a" in PATH is true. Write an object or false.'],
        [{ operations: { a: { retry: 3 } } }, 'The setting "operations.a.retry" in PATH is 3. Write a boolean.'],
        [
          { operations: { a: { pagination: true } } },
          'The setting "operations.a.pagination" in PATH is true. Write an object or false.',
        ],
      ] as const
    ).map(([more, message]): [object, string] => [{ ...own, ...more }, message]),
    [
      [own, { ...own, output: "two", features: "zod" }],
      'The setting "features" in PATH (client 2) is "zod". Write an array.',
    ],
    [[own, { output: "two", name: "Two" }], 'PATH (client 2) has no setting "contract". Add it.'],
    [[own, [own]], `PATH (client 2) ${NONE}.`],
    ["[]", `PATH ${NONE}.`],
    [
      { ...own, nme: 1 },
      'PATH has the unknown setting "nme". The settings are contract, output, name, version, types, security, error, requestIdHeader, idempotencyHeader, pagination, operations, importExtension, features, int64, dates, publishedContract.',
    ],
    [
      { ...own, toString: 1 },
      'PATH has the unknown setting "toString". The settings are contract, output, name, version, types, security, error, requestIdHeader, idempotencyHeader, pagination, operations, importExtension, features, int64, dates, publishedContract.',
    ],
    [{ ...own, contract: undefined }, 'PATH has no setting "contract". Add it.'],
    [{ ...own, output: "" }, 'PATH has no setting "output". Add it.'],
    [{ ...own, name: undefined }, 'PATH has no setting "name". Add it.'],
    ...["things", "aThings", "My-things", "1Things", "Things!"].map((name): [object, string] => [
      { ...own, name },
      `The setting "name" in PATH is ${JSON.stringify(name)}. Write a name such as "Bookshop".`,
    ]),
    ["null", `PATH ${NONE}.`],
    ["5", `PATH ${NONE}.`],
  ])("is rejected by name: %j", async (config, message) => {
    const path = write("wrong.json", config);
    const error = { name: "ConfigError", message: message.replace("PATH", path) };
    await expect(loadConfig(path)).rejects.toMatchObject(error);
  });

  test("that is missing, incomplete or without an export is an error", async () => {
    const lost = join(folder, "lost.json");
    await expect(loadConfig(lost)).rejects.toThrow(
      `There is no file ${lost}. Create it, or name another with --config.`,
    );
    const cut = write("cut.json", "{");
    await expect(loadConfig(cut)).rejects.toMatchObject({
      name: "ConfigError",
      message: expect.stringContaining(`${cut} is not JSON: `),
    });
    const empty = write("empty.mjs", "export const a = 1;");
    await expect(loadConfig(empty)).rejects.toThrow(`${empty} ${NONE}, and export it as default.`);
    const lostModule = join(folder, "lost.mjs");
    await expect(loadConfig(lostModule)).rejects.toThrow(`There is no file ${lostModule}. Create it, or`);
  });

  const unnamed = { openapi: "3.1.1", info: {}, paths: {} };
  test.each<[config: object, message: string]>([
    [
      { security: { lost: "key" } },
      'The configuration names the security scheme "lost", which the contract does not have.',
    ],
    [
      { error: { schema: "Lost" } },
      'The configuration names the error schema "Lost", which the contract does not have.',
    ],
  ])("%j does not fit its contract", async (config, message) => {
    const contract = { document: unnamed, placeOf: () => "" };
    await expect(generatedFiles(contract as never, { ...own, ...config })).rejects.toThrow(new TypeError(message));
  });
});

describe("the files of a small contract", () => {
  const get = { operationId: "read", responses: { 200: { description: "" } } };
  const files = (config: object = {}, document: object = {}) => {
    const contract = {
      document: { openapi: "3.1.1", info: { title: "T" }, paths: { "/": { get } }, ...document },
      placeOf: () => "",
    };
    return generatedFiles(contract, { ...own, ...config });
  };

  test("have defaults where the configuration has no settings", async () => {
    const found = await files();
    expect(Object.keys(found)).toEqual([
      "schema.ts",
      "names.ts",
      "api.ts",
      "operations.ts",
      "calls.ts",
      "client.ts",
      "servers.ts",
      "index.ts",
    ]);
    expect(found["names.ts"]).toBe("// Generated from the contract by fetch-operations. Do not edit.\nexport {};\n");
    expect(found["servers.ts"]).toBe(`// Generated from the contract by fetch-operations. Do not edit.

/** The servers of the contract, in its order. Each returns a \`baseUrl\`; a variable without a value has its default. */
export const servers = [
] as const;
`);
    expect(found["api.ts"]).toContain(
      `import { type Api, type ClientOptions, type FailureCode, OperationError, anyError } from "fetch-operations";`,
    );
    expect(found["api.ts"]).toContain(`export type ErrorCode =
  | FailureCode
  | (string & {});`);
    expect(found["api.ts"])
      .toContain(`export interface ThingsOptions extends Omit<ClientOptions, "credentials" | "servers"> {
}
`);
    expect(found["api.ts"]).toContain(`{
  "name": "Things",
  "version": "0",
  "error": ThingsError as never,
  "schemes": {},
  "security": [],
  "requestIdHeader": "X-Request-Id",
  "errors": anyError
};`);
    expect(found["client.ts"]).toBe(`// Generated from the contract by fetch-operations. Do not edit.
import { createClient, type PathClient } from "fetch-operations";
import { api, type ThingsOptions } from "./api.js";
import type { ByOperation, ByPage, Raw } from "./calls.js";
import { operations } from "./operations.js";
import type { paths } from "./schema.js";

/** openapi-fetch's client, with a method for each operation. */
export interface Things extends ByOperation, PathClient<paths> {
  /** The lists of the service, to read item by item or page by page. */
  paginate: ByPage;
  /** Calls that resolve to the response of a success, with its body unread. They reject as \`orThrow()\` does. */
  raw: Raw;
}

/** Creates a client. Throws a TypeError for an invalid option. */
export function createThings(options: ThingsOptions): Things {
  return createClient(api, operations, options).client as Things;
}
`);
  });

  test("have the version and the first codes of the contract", async () => {
    const document = { info: { title: "T", version: "4.5" }, components: { schemas: { Problem: {} } } };
    const { "api.ts": api } = await files({ error: { schema: "Problem" } }, document);
    expect(api).toContain('"version": "4.5"');
    expect(api).toContain('"errors": errorFields("code", "message")\n};');
  });

  test("import each other with the extension of the configuration", async () => {
    const importsOf = async (importExtension: string) => {
      const found = await files({ importExtension, features: ["contract-check"] });
      return Array.from(
        `${found["client.ts"]}${found["index.ts"]}`.matchAll(/(?:from |import\()"(\..*?)"/g),
        ([, name]) => name,
      );
    };
    const names = [
      "api",
      "calls",
      "contract",
      "operations",
      "schema",
      "contract-check",
      "api",
      "calls",
      "client",
      "names",
      "servers",
      "schema",
    ];
    for (const extension of [".ts", ".js", ""])
      expect(await importsOf(extension)).toEqual(names.map((name) => `./${name}${extension}`));
  });

  test("copy the types that the configuration names", async () => {
    const types = write("types.ts", "export interface paths {}\n");
    expect((await files({ types }))["schema.ts"]).toBe("export interface paths {}\n");
    expect((await files())["schema.ts"]).toMatch(
      /^\/\/ Generated from the contract by fetch-operations\. Do not edit\.\n\n/,
    );
  });

  test.each([
    [["contract-check"], ["contract.ts", "contract-check.ts"]],
    [["testing"], ["document.ts", "testing.ts"]],
    [["react-query"], ["queries.ts"]],
    [["swr"], ["swr.ts"]],
    [
      ["enums", "errors"],
      ["enums.ts", "errors.ts"],
    ],
    [
      ["zod", "valibot"],
      ["zod.ts", "valibot.ts"],
    ],
  ])("%j are %j", async (features, names) => {
    const [all, fewer] = [await files({ features }), await files()];
    expect(Object.keys(all).filter((name) => !Object.hasOwn(fewer, name))).toEqual(names);
    expect(all["contract-check.ts"] ?? '"../openapi.json"').toContain('"../openapi.json"');
  });

  test("have the shapes of bigints and dates only if there are any", async () => {
    const int64 = { type: "integer", format: "int64" };
    const responses = {
      200: { description: "", content: { "application/json": { schema: { type: "array", items: int64 } } } },
    };
    const document = { paths: { "/": { get: { ...get, responses } } } };
    const found = await files({ int64: "bigint" }, document);
    expect(found["operations.ts"]).toContain('"read": typedJson({"items":"int64"}, {}, undefined)');
    expect(found["shapes.ts"]).toBeUndefined();
    expect((await files({}, document))["operations.ts"]).not.toContain('"read":');
  });
});

test("writing changes the files that differ, and deletes those that were generated before", async () => {
  const output = join(folder, "written");
  expect(await findMismatches({ "a.ts": "" }, output)).toEqual({ stale: ["a.ts"], surplus: [] });
  const banner = "// Generated from the contract by fetch-operations. Do not edit.\n";
  expect(await writeFiles({ "a.ts": "a", "b.ts": banner, "c.ts": banner }, output)).toEqual(["a.ts", "b.ts", "c.ts"]);
  expect(await writeFiles({ "a.ts": "a2", "b.ts": banner, "c.ts": banner }, output)).toEqual(["a.ts"]);
  expect(await findMismatches({ "a.ts": "a2", "b.ts": "other" }, output)).toEqual({
    stale: ["b.ts"],
    surplus: ["c.ts"],
  });
  expect(await writeFiles({ "b.ts": banner }, output)).toEqual([]);
  expect(await findMismatches({ "b.ts": banner }, output)).toEqual({ stale: [], surplus: ["a.ts"] });
});

describe("a contract", () => {
  test("names the line of a place, if its file has it", async () => {
    const path = write(
      "places.yaml",
      "openapi: 3.0.4\ninfo: { title: T, version: '1' }\npaths:\n  /a~b:\n    get:\n      responses: {}\n",
    );
    const { document, placeOf } = await loadContract(path);
    expect(document.openapi).toBe("3.0.4");
    expect(placeOf(["paths", "/a~b", "get"])).toBe(`${path}:5`);
    expect(placeOf(["lost", "x"])).toContain(path);
  });

  test("keeps a reference in an example, where it is data", async () => {
    const examples = "examples: { one: { value: { $ref: '#/components/examples/Other' } }, Other: { value: 1 } }";
    const text = `openapi: 3.1.1\ninfo: { title: T, version: "1" }\npaths: {}\ncomponents: { ${examples} }\n`;
    const { document } = await loadContract(write("example.yaml", text));
    expect(document.components).toMatchObject({
      examples: { one: { value: { $ref: "#/components/examples/Other" } } },
    });
  });

  test.each([
    ["openapi: 3.3.0\n", "cannot be read: Unsupported OpenAPI version: 3.3.0"],
    ['swagger: "2.0"\n', "is not an OpenAPI document of version 3."],
    ["asyncapi: 3.0.0\n", "is not an OpenAPI document of version 3."],
    ["a: [", "cannot be read: "],
    ["openapi: 3.1.0\npaths: { $ref: lost.yaml }\n", "cannot be read: "],
  ])("%j is refused", async (text, problem) => {
    const path = write("refused.yaml", text);
    const message = expect.stringContaining(`${path} ${problem}`) as string;
    await expect(loadContract(path)).rejects.toMatchObject({ name: "TypeError", message });
  });

  test("has pointers in place of references that are relative to an $id", async () => {
    const schemas = '{ O: { $id: "https://a.example/o" }, S: { $id: "https://a.example/s", $ref: o } }';
    const text = `openapi: 3.1.1\ninfo: { title: a, version: "1" }\npaths: {}\ncomponents: { schemas: ${schemas} }\n`;
    const { document } = await loadContract(write("identified.yaml", text));
    expect(document.components).toEqual({ schemas: { O: {}, S: { $ref: "#/components/schemas/O" } } });
  });

  test("that is missing is refused by its path", async () => {
    const path = join(folder, "lost.yaml");
    await expect(loadContract(path)).rejects.toThrow(`${path} cannot be read: `);
  });
});

test("the document stays as it is, so that its hash is that of the published one", () => {
  const document = { openapi: "3.1.1", info: { title: "T", version: "1" }, paths: {} };
  typesOf(document);
  expect(document).toEqual({ openapi: "3.1.1", info: { title: "T", version: "1" }, paths: {} });
});

test("listed values are not in place of the type of a setting, nor integers that JavaScript has rounded", () => {
  const schemas = {
    Level: { type: "integer", format: "int64", enum: [1, 2] },
    Large: { type: "integer", enum: [1, 2 ** 53] },
    Day: { type: "string", format: "date", const: "2030-12-05" },
    Time: { type: "string", format: "date-time", enum: ["2030-12-05T00:00:00Z"] },
  };
  const document = { openapi: "3.1.1", info: { title: "T", version: "1" }, paths: {}, components: { schemas } };
  const found = (setting: Parameters<typeof typesOf>[1]) =>
    Array.from(typesOf(document, setting).matchAll(/^\s+([A-Z][a-z]+): ([^{}\n]*);$/gm), ([, , type]) => type);
  expect(found({})).toEqual(["1 | 2", "number", '"2030-12-05"', '"2030-12-05T00:00:00Z"']);
  expect(found({ int64: "bigint", dates: "Date" })).toEqual(["bigint", "number", '"2030-12-05"', "Date"]);
  expect(found({ dates: "Temporal" })).toEqual(["1 | 2", "number", "Temporal.PlainDate", "Temporal.Instant"]);
});

test("values have the types of the settings", () => {
  const binary = { type: "string", format: "binary" };
  const int64 = { type: "integer", format: "int64" };
  const time = { type: "string", format: "date-time" };
  const day = { type: "string", format: "date" };
  const media = { contentMediaType: "application/octet-stream" };
  const fields: [schema: object, types: [plain: string, date: string, temporal: string]][] = [
    [binary, ["Blob", "Blob", "Blob"]],
    [{ ...binary, type: ["string", "null"] }, ["Blob | null", "Blob | null", "Blob | null"]],
    [{ ...binary, type: "integer" }, ["number", "number", "number"]],
    [{ format: "binary" }, ["Blob", "Blob", "Blob"]],
    [media, ["Blob", "Blob", "Blob"]],
    [{ ...media, type: "string", contentEncoding: "base64" }, ["string", "string", "string"]],
    [{ type: "string", contentMediaType: "image/png" }, ["Blob", "Blob", "Blob"]],
    ...["text/csv", "application/json", "image/svg+xml"].map((type): (typeof fields)[number] => [
      { type: "string", contentMediaType: type },
      ["string", "string", "string"],
    ]),
    [int64, ["number", "bigint", "bigint"]],
    [{ ...int64, type: ["integer", "null"] }, ["number | null", "bigint | null", "bigint | null"]],
    [{ ...int64, type: "string" }, ["string", "string", "string"]],
    [{ type: "integer", format: "int32" }, ["number", "number", "number"]],
    [time, ["string", "Date", "Temporal.Instant"]],
    [{ ...time, nullable: true }, ["string | null", "Date | null", "Temporal.Instant | null"]],
    [{ ...time, type: "integer" }, ["number", "number", "number"]],
    [day, ["string", "string", "Temporal.PlainDate"]],
    [{ ...day, type: "integer" }, ["number", "number", "number"]],
  ];
  const properties = Object.fromEntries(fields.map(([schema], index) => [`f${index}`, schema]));
  const document = {
    openapi: "3.1.1",
    info: { title: "T", version: "1" },
    paths: {},
    components: { schemas: { A: { type: "object", properties } } },
  };
  const settings = [{}, { int64: "bigint", dates: "Date" }, { int64: "bigint", dates: "Temporal" }] as const;
  for (const [index, setting] of settings.entries()) {
    const text = typesOf(document, setting);
    const found = Array.from(text.matchAll(/^\s+f\d+\?: (.*);$/gm), ([, type]) => type);
    expect(found).toEqual(fields.map(([, types]) => types[index]));
  }
});
