import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { reportDeprecation } from "../src/call/call-parts.ts";
import { connectTo } from "../src/index.ts";
import type { Deprecation } from "../src/options.ts";
import { type GeneratedClient, generatedClient } from "./generated-client.ts";
import { api, callsOf, read, respond, shop } from "./shop.ts";

describe("the package", () => {
  const folder = join(import.meta.dirname, "..");

  test("the runtime imports nothing of Node, and only each entry point's own dependencies", () => {
    const out = mkdtempSync(join(tmpdir(), "runtime-"));
    try {
      const tsc = join(folder, "../../node_modules/typescript/bin/tsc");
      execFileSync(process.execPath, [tsc, "-p", "tsconfig.build.json", "--outDir", out], { cwd: folder });
      const imports = (pattern: string) =>
        globSync(pattern, { cwd: out }).flatMap((file) =>
          Array.from(
            readFileSync(join(out, file), "utf8").matchAll(/(?:from |import\()"([^."][^"]*)"/g),
            ([, name]) => `${name} in ${file.replaceAll("\\", "/")}`,
          ),
        );
      expect(imports("**/*.js").toSorted()).toEqual([
        "@cfworker/json-schema in testing/schema.js",
        ...["fingerprint", "schema-types", "servers", "shapes"].map(
          (name) => `openapi-document in contract/${name}.js`,
        ),
        ...["contract", "mock-response", "schema"].map((name) => `openapi-document in testing/${name}.js`),
        "openapi-document/example in testing/mock-response.js",
        "openapi-document/webhook-signature in parts/webhooks.js",
        ...["connection", "parts/oauth2"].map((name) => `openapi-fetch in ${name}.js`),
      ]);
      const types = imports("**/*.d.ts").filter((line) => !/^openapi-document in (?:contract|testing)\//.test(line));
      expect(types.toSorted()).toEqual([
        "@tanstack/react-query in react-query/index.d.ts",
        "openapi-document/webhook-signature in parts/webhooks.d.ts",
        "openapi-fetch in client.d.ts",
        ...["swr", "swr/infinite", "swr/mutation"].map((name) => `${name} in swr/index.d.ts`),
      ]);
    } finally {
      rmSync(out, { recursive: true });
    }
  });
});

describe("the pages", () => {
  const folder = join(import.meta.dirname, "..");
  const pages = ["README.md", ...globSync("docs/{*,guides/*}.md", { cwd: folder })].map((path) => ({
    path,
    text: readFileSync(join(folder, path), "utf8"),
  }));
  const readme = pages[0]!.text;
  const features = pages.find(({ path }) => path.endsWith("features.md"))!.text;

  test("are a README of at most 200 lines, and guides whose links lead somewhere", () => {
    expect(readme.trimEnd().split("\n").length).toBeLessThanOrEqual(200);
    for (const { path, text } of pages) {
      const links = Array.from(text.matchAll(/\]\((?!https:|#)([^)#]*)/g), ([, link]) => link!);
      expect(links.filter((link) => !existsSync(join(folder, path, "..", link)))).toEqual([]);
    }
  });

  const rows = Array.from(
    features.matchAll(/^\| (.+) \| `([\w.-]+)`: (.+) \|$/gm),
    ([, feature, file, title]) => [feature!, file!, title!] as const,
  );

  describe("the table of features", () => {
    test("has rows", () => {
      expect(rows.length).toBeGreaterThan(20);
    });

    test.each(rows)("%s: %s has the test", (_feature, file, title) => {
      const path = join(import.meta.dirname, file);
      expect(existsSync(path)).toBe(true);
      expect(readFileSync(path, "utf8").replaceAll(/`\$\{[^}]*\}`/g, "%s")).toContain(title);
    });
  });

  const texts = [readme.slice(readme.indexOf("## Errors")), ...pages.slice(1).map(({ text }) => text)];
  /** The blocks, with the names of the generated client of this test. */
  const blocks = texts
    .flatMap((text) => Array.from(text.matchAll(/^```ts\n([\s\S]*?)^```/gm), ([, code]) => code!))
    .map((code) =>
      code
        .replaceAll("./bookshop/", "./")
        .replaceAll("Bookshop", "Thing")
        .replaceAll(/\bbookshop(?=[A-Z])/g, "thing")
        .replaceAll('.js"', '.ts"'),
    );

  const bookContent = { "application/json": { schema: { $ref: "#/components/schemas/Book" } } };
  /** The contract of the chapter "First use", with operations that download and upload, and a webhook. */
  const document = {
    openapi: "3.1.1",
    info: { title: "Bookshop", version: "1.0.0" },
    security: [{ token: [] }],
    paths: {
      "/books/{bookId}": {
        parameters: [{ name: "bookId", in: "path", required: true, schema: { type: "integer" } }],
        get: {
          operationId: "getBook",
          responses: {
            200: {
              description: "",
              content: bookContent,
            },
            404: { description: "" },
          },
        },
        put: { operationId: "replaceBook", responses: { 204: { description: "" } } },
      },
      "/books/{bookId}/file": {
        parameters: [{ name: "bookId", in: "path", required: true, schema: { type: "integer" } }],
        get: {
          operationId: "downloadBook",
          responses: { 200: { description: "", content: { "application/pdf": {} } } },
        },
      },
      "/books": {
        post: {
          operationId: "uploadBook",
          requestBody: { required: true, content: { "application/pdf": {} } },
          responses: { 204: { description: "" } },
        },
      },
    },
    webhooks: {
      newBook: {
        post: { requestBody: { required: true, content: bookContent }, responses: { 204: { description: "" } } },
      },
    },
    components: {
      schemas: {
        Book: {
          type: "object",
          required: ["title"],
          properties: { title: { type: "string" }, format: { enum: ["paperback", "large print"] } },
        },
      },
      securitySchemes: { token: { type: "http", scheme: "bearer" } },
    },
  };

  /** The values that the blocks use, and a client with the options that they make. */
  const HEAD = `import { createThing } from "./index.ts";
import { document } from "./document.ts";
import { operations } from "./operations.ts";
const bookshop = createThing({ baseUrl: "https://books.example", token: "secret" });
void [document, operations, bookshop];
`;
  const TAILS: [name: string, code: string][] = [
    ["oauth", 'createThing({ baseUrl: "", token: oauth });'],
    ["logged", 'createThing({ baseUrl: "", token: "", ...logged });'],
  ];

  let client: GeneratedClient;
  beforeAll(async () => {
    client = await generatedClient(document, {
      security: { token: "token" },
      features: ["enums", "errors", "testing", "react-query", "swr", "zod"],
    });
  });
  afterAll(() => client[Symbol.dispose]());

  test("each example after First use compiles", () => {
    expect(blocks.length).toBeGreaterThanOrEqual(4);
    for (const [index, code] of blocks.entries()) {
      const tail = TAILS.find(([name]) => code.includes(`const ${name} =`))?.[1] ?? "";
      const head = HEAD.split("\n").filter((line) => !code.includes(line)); // without what the block imports itself
      writeFileSync(join(client.folder, `block-${index}.ts`), `${[...head, code].join("\n")}${tail}\n`);
    }
    const options = { extends: "../../../tsconfig.json", include: ["block-*.ts"] };
    writeFileSync(join(client.folder, "tsconfig.json"), JSON.stringify(options));
    const tsc = join(import.meta.dirname, "../../../node_modules/typescript/bin/tsc");
    expect(spawnSync(process.execPath, [tsc, "-p", client.folder], { encoding: "utf8" }).stdout).toBe("");
  });
});

describe("the report of a deprecated operation", () => {
  const reportsOf = (operation: object, headers?: Record<string, string>) => {
    const reports: Deprecation[] = [];
    const onDeprecated = (deprecation: Deprecation) => reports.push(deprecation);
    const connection = connectTo(api, { baseUrl: "http://x", onDeprecated });
    for (let time = 0; time < 2; time++)
      reportDeprecation(connection, { ...read, ...operation }, headers && new Headers(headers));
    return reports;
  };
  test("is one line of the console by default, and none if onDeprecated is false", () => {
    const warn = vi.spyOn(console, "warn").mockImplementation(() => {});
    const note = (deprecated: object, options: object = {}) => {
      const connection = connectTo(api, { baseUrl: "http://x", ...options });
      for (let time = 0; time < 2; time++) reportDeprecation(connection, { ...read, deprecated });
      return warn.mock.calls.splice(0).flat();
    };
    const all = { sunset: "2030-12-05", successor: "listPets" };
    expect(note(all)).toEqual(["shop: getPet is deprecated and will be removed on 2030-12-05. Use listPets."]);
    expect(note({ sunset: "2030-12-05" })).toEqual(["shop: getPet is deprecated and will be removed on 2030-12-05."]);
    expect(note({ successor: "listPets" })).toEqual(["shop: getPet is deprecated. Use listPets."]);
    expect(note({ sunset: "soon" })).toEqual(["shop: getPet is deprecated."]);
    expect(note(all, { onDeprecated: false })).toEqual([]);
    warn.mockRestore();
  });

  test("follows each call, also one without a response", async () => {
    const reports: unknown[] = [];
    const onDeprecated = ({ operationId, sunset }: Deprecation) =>
      reports.push([operationId, sunset?.getUTCFullYear()]);
    const sunset = { Sunset: "Wed, 01 Jan 2031 00:00:00 GMT" };
    await using server = await shop(respond(404, "{}", undefined, sunset), { onDeprecated });
    await server.call({ id: "a" });
    await server.call({ id: "a", deprecated: {} });
    await callsOf(connectTo(api, { baseUrl: "http://127.0.0.1:1", onDeprecated, retry: false }))({
      id: "b",
      deprecated: {},
    });
    expect(reports).toEqual([
      ["a", 2031],
      ["b", undefined],
    ]);
  });

  const facts = { since: "2026-01-01", sunset: "2030-12-05", successor: "listPets" };
  const report = (deprecatedAt?: string, sunset?: string, successor?: string) => {
    const date = (text?: string) => (text === undefined ? undefined : new Date(text));
    return [{ operationId: "getPet", deprecatedAt: date(deprecatedAt), sunset: date(sunset), successor }];
  };

  test.each<[operation: object, headers: Record<string, string> | undefined, reports: object[]]>([
    [{}, undefined, []],
    [{}, { Link: '</b>; rel="successor-version"' }, []],
    [{ deprecated: {} }, undefined, report()],
    [{ deprecated: facts }, undefined, report("2026-01-01", "2030-12-05", "listPets")],
    [{}, { Deprecation: "@1767225600" }, report("2026-01-01")],
    [{}, { Sunset: "Thu, 05 Dec 2030 00:00:00 GMT" }, report(undefined, "2030-12-05")],
    [{ deprecated: { since: "soon" } }, { Deprecation: "@x" }, report()],
    [{}, { Deprecation: "1767225600" }, report()],
    [{}, { Deprecation: "true", Link: '</b>; rel="successor-version"' }, report(undefined, undefined, "/b")],
    [
      { deprecated: facts },
      { Deprecation: "@1767312000", Sunset: "Fri, 06 Dec 2030 00:00:00 GMT", Link: '</b>; rel="successor-version"' },
      report("2026-01-02", "2030-12-06", "listPets"),
    ],
  ])("for the contract's %j and the headers %j is sent once", (operation, headers, reports) => {
    expect(reportsOf(operation, headers)).toEqual(reports);
  });
});
