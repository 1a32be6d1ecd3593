import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative, resolve } from "node:path";
import { beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { bundle } from "../src/bundle.ts";
import { contractProblems, lint } from "../src/lint/lint.ts";
import { ROOT } from "../src/paths.ts";
import { checkContract, lintContract } from "../src/release/check.ts";

/** A contract that meets the rules. */
const CONTRACT = `openapi: 3.1.1
info:
  title: Shop
  description: A shop of books.
  version: 1.0.0
  license: { name: MIT, identifier: MIT }
servers:
  - url: https://shop.test/v1
security: []
paths:
  /books:
    get:
      operationId: listBooks
      summary: Lists books
      parameters:
        - $ref: "#/components/parameters/Cursor"
      responses:
        "200": { $ref: "#/components/responses/Done" }
        "400": { $ref: "#/components/responses/Done" }
    post:
      operationId: createBook
      summary: Creates a book
      requestBody:
        content:
          application/json:
            schema: { $ref: "#/components/schemas/Title" }
      responses:
        "200": { $ref: "#/components/responses/Done" }
        "400": { $ref: "#/components/responses/Done" }
components:
  parameters:
    Cursor:
      name: cursor
      in: query
      description: The place in the list.
      schema:
        type: string
        maxLength: 99
  responses:
    Done:
      description: Identifier of the request.
  schemas:
    Title:
      type: string
      maxLength: 99
`;

const RULES_FILE = JSON.stringify(join(ROOT, "packages/openapi-contract/src/lint/lint-rules.ts"));

/** Rules with the code of this package, independent of the levels in `openapi/redocly.yaml`. */
const RULES = `extends: [recommended-strict]
plugins: [${RULES_FILE}]
rules:
  platform/string-is-bounded: error
  platform/reference-fits: error
  no-unused-components: warn
`;

const CURSOR = '"#/components/parameters/Cursor"';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "lint-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  write("rules/redocly.yaml", RULES);
});

describe("one cause is one problem:", () => {
  test.each<[fault: string, text: string | RegExp, replacement: string, place: string, message: string]>([
    ["no content", /^.*$/s, "", "1:1", "This is not an OpenAPI document. Begin it with `openapi: 3.1.1`."],
    ["a list", /^.*$/s, "- a\n", "1:1", "This is not an OpenAPI document. Begin it with `openapi: 3.1.1`."],
    ["no version", /^openapi: .*\n/, "", "1:1", "This is not an OpenAPI document. Begin it with `openapi: 3.1.1`."],
    ["Swagger 2.0", /^openapi: .*\n/, 'swagger: "2.0"\n', "1:1", "This is Swagger 2.0. Convert it to OpenAPI 3."],
    [
      "an unclosed quote",
      "operationId: createBook",
      'operationId: "createBook',
      at("operationId: createBook", 13),
      'The text that begins here has no closing ". Add it.',
    ],
    [
      "a repeated key",
      "operationId: createBook",
      "operationId: a\n      operationId: b",
      at("operationId: createBook", 0, 1),
      "The field operationId is given twice in one object. Remove one of them.",
    ],
    [
      "a repeated operationId",
      "operationId: createBook",
      "operationId: listBooks",
      at("operationId: createBook"),
      'The operationId "listBooks" is that of GET /books. Choose another.',
    ],
    [
      "a misspelt key",
      "operationId: createBook",
      "operationID: createBook",
      at("operationId: createBook"),
      "Property `operationID` is not expected here. Did you mean `operationId`?",
    ],
    [
      "a misspelt required key",
      "  description: Identifier",
      "  descriptions: Identifier",
      at("  description: Identifier", 2),
      "Property `descriptions` is not expected here. Did you mean `description`?",
    ],
    [
      "a misspelt type",
      "type: string",
      "type: strings",
      at("type: string", 6),
      '`type` can be one of the following only: "object", "array", "string", "number", "integer", "boolean", "null". Did you mean `string`?',
    ],
    [
      "a broken reference",
      CURSOR,
      CURSOR.replace("Cursor", "Cursors"),
      at(`$ref: ${CURSOR}`),
      `Can't resolve $ref "#/components/parameters/Cursors". Did you mean ${CURSOR}?`,
    ],
    [
      "a reference with another section",
      CURSOR,
      CURSOR.replace("parameters", "parameter"),
      at(`$ref: ${CURSOR}`),
      `Can't resolve $ref "#/components/parameter/Cursor". Did you mean ${CURSOR}?`,
    ],
    [
      "a reference unlike all others",
      CURSOR,
      '"#/nothing/else"',
      at(`$ref: ${CURSOR}`),
      `Can't resolve $ref "#/nothing/else".`,
    ],
    [
      "a reference to an object of another kind",
      CURSOR,
      '"#/components/schemas/Title"',
      at(`$ref: ${CURSOR}`, 6),
      "This refers to an object of components/schemas. Refer to one of components/parameters.",
    ],
    [
      "nullable in OpenAPI 3.1",
      "maxLength: 99",
      "nullable: true\n        maxLength: 99",
      at("maxLength: 99"),
      'Property `nullable` is not expected here. OpenAPI 3.1 has none. Add "null" to `type`.',
    ],
    [
      "a status that is none",
      '"200": {',
      "20O: { description: Done. }\n        2XX: {",
      at('"200": {'),
      "Property `20O` is not expected here. Write a status such as 404, a range such as 4XX, or default.",
    ],
    [
      "a status beside the responses",
      "operationId: listBooks",
      '"201": { description: No. }\n      operationId: listBooks',
      at("operationId: listBooks"),
      "Property `201` is not expected here. Write it below `responses`.",
    ],
  ])("%s", async (_fault, text, replacement, place, message) => {
    write("openapi.yaml", CONTRACT.replace(text, replacement));
    expect(await found()).toEqual([`fault openapi.yaml:${place}  ${message}`]);
  });
});

describe("a syntax error says what to do:", () => {
  const ID = "operationId: createBook";
  test.each<[fault: string, text: string | RegExp, replacement: string, place: string, message: string]>([
    [
      "a field beside the first one of an item",
      "url: https://shop.test/v1",
      "url: https://shop.test/v1\n   description: Shop",
      at("- url", 1, 1),
      "This line cannot be indented by 3 spaces. Indent it by 2 or 4, like the lines above.",
    ],
    [
      "an object beside the first field of an item",
      "url: https://shop.test/v1",
      "url: https://shop.test/v1\n   variables:\n     a: { default: b }",
      at("- url", 1, 1),
      "This line cannot be indented by 3 spaces. Indent it by 2 or 4, like the lines above.",
    ],
    [
      "a line indented too far",
      `${ID}\n`,
      `${ID}\n    `,
      at("summary: Creates", 4),
      "This line cannot be indented by 10 spaces. Indent it by 6, like the lines above.",
    ],
    [
      "a line indented too little",
      `      summary: Creates`,
      `     summary: Creates`,
      at("summary: Creates", -1),
      "This line cannot be indented by 5 spaces. Indent it by 4 or 6, like the lines above.",
    ],
    [
      "a tab",
      `      summary: Creates`,
      `\tsummary: Creates`,
      at("      summary: Creates"),
      "This line is indented with a tab. Use spaces.",
    ],
    [
      "no colon",
      ID,
      "operationId",
      at(ID),
      'This line has no ":". Write "name: value", or indent it as a part of the text above.',
    ],
    ["no space after a colon", ID, "operationId:createBook", at(ID), 'A space is missing after ":".'],
    [
      "no space after a dash",
      "security: []",
      "security:\n  -a\n  -b: []",
      at("security: []", 2, 1),
      'A space is missing after "-".',
    ],
    [
      "a colon within a text",
      "A shop of books.",
      "A shop: of books.",
      at("A shop of books."),
      'A text with ": " in it needs quotation marks.',
    ],
    [
      "text behind a quotation",
      "A shop of books.",
      '"A shop" of books.',
      at("A shop of books.", 9),
      "Text follows a value that has ended. Write all of it in one pair of quotation marks.",
    ],
    [
      "an escape that does not exist",
      "A shop of books.",
      '"\\d"',
      at("A shop of books.", 1),
      '"\\d" means nothing within double quotation marks. Use single ones.',
    ],
    [
      "a value with a reserved character",
      "A shop of books.",
      "@shop",
      at("A shop of books."),
      'A value cannot begin with "@". Write it in quotation marks.',
    ],
    [
      "an alias without an anchor",
      "A shop of books.",
      "*shop",
      at("A shop of books.", 1),
      'There is no anchor "&shop" above. Write text that begins with "*" in quotation marks.',
    ],
    ["an unclosed bracket", "security: []", "security: [", at("paths:"), 'A bracket above is not closed. Add "]".'],
    [
      "a conflict of git",
      "paths:",
      "<<<<<<< HEAD\npaths:",
      at("paths:"),
      "This is a conflict marker of git. Resolve the conflict.",
    ],
    [
      "a control character",
      "A shop of books.",
      "A \u0007shop",
      "4:18",
      "There is a control character here. Remove it.",
    ],
  ])("%s", async (_fault, text, replacement, place, message) => {
    write("openapi.yaml", CONTRACT.replace(text, replacement));
    expect(await found()).toEqual([`fault openapi.yaml:${place}  ${message}`]);
  });

  test("and shows the lines around it, with a mark and without control characters", async () => {
    write("openapi.yaml", CONTRACT.replace("  version: 1.0.0", "\tversion: 1.\u001b0.0"));
    const [problem] = await lint(join(folder, "openapi.yaml"), rulesFile());
    expect(problem?.frame).toEqual([
      "4 |   description: A shop of books.",
      "5 | →version: 1.\ufffd0.0",
      "  | ^",
      "6 |   license: { name: MIT, identifier: MIT }",
    ]);
  });
});

describe("a contract in several files", () => {
  const OWN = "type: string\ndescription: A name.\nmaxLength: 9\n";
  const withFile = (name: string) =>
    CONTRACT.replace("\n  schemas:\n", `\n  schemas:\n    Own:\n      $ref: ${name}\n`)
      .replace(
        "\n  parameters:\n",
        `\n  parameters:\n    Own:\n      name: own\n      in: query\n      description: A name.\n      schema:\n        $ref: ${name}\n`,
      )
      .replace(`- $ref: ${CURSOR}`, `- $ref: ${CURSOR}\n        - $ref: "#/components/parameters/Own"`);

  beforeEach(() => {
    write("schemas/own.yaml", OWN);
    write("openapi.yaml", withFile("./schemas/own.yaml"));
  });

  test("is read anew for each call", async () => {
    expect(await found()).toEqual([]);
    write("schemas/own.yaml", OWN.replace("maxLength: 9\n", ""));
    expect(await found()).toEqual(["style schemas/own.yaml:1:1  Bound each string with maxLength, enum or const."]);
    expect(JSON.stringify(await bundle(join(folder, "openapi.yaml")))).not.toContain('"maxLength":9,');
  });

  test("has a syntax error once, in the file that has it", async () => {
    write("schemas/own.yaml", OWN.replace("string", '"string'));
    expect(await found()).toEqual(['fault schemas/own.yaml:1:7  The text that begins here has no closing ". Add it.']);
    await expect(bundle(join(folder, "openapi.yaml"))).rejects.toThrow(
      /own\.yaml:1:7 {2}The text that begins here has no closing ". Add it\.\n1 \| /,
    );
  });
});

test("a warning is no problem of `contract check`", async () => {
  write("openapi.yaml", CONTRACT.replace("  schemas:\n", "  schemas:\n    Unused: { type: boolean }\n"));
  expect(await found()).toEqual(['warning openapi.yaml:43:5  Component: "Unused" is never used.']);
  expect(await contractProblems(join(folder, "openapi.yaml"), rulesFile())).toEqual([]);
});

test("the check of a contract counts the warnings, which do not fail it, and leaves out what no rule checks", async () => {
  write(
    "redocly.yaml",
    `plugins: [${RULES_FILE}]
rules:
  no-invalid-schema-examples: warn
  tag-description: warn
  operation-summary: error
  platform/successor-exists: off
  platform/deprecation-is-declared: { severity: off }
`,
  );
  write(
    "openapi.yaml",
    `openapi: 3.1.1
info: { title: Shop, version: 1.0.0 }
tags: [{ name: Books }]
paths: {}
components: { schemas: { One: { type: string, example: 1 }, Other: { type: string, example: 2 } } }
`,
  );
  const checks = await lintContract(join(folder, "openapi.yaml"));
  expect(checks).toHaveLength(2);
  expect(checks).toMatchObject([
    { name: "lint", passed: "no errors, and 1 warning of rules at level warn", findings: [], warnings: [{}] },
    { name: "examples", passed: "no errors, and 2 warnings of rules at level warn", findings: [], warnings: [{}, {}] },
  ]);
  const checked = await checkContract({ contract: join(folder, "openapi.yaml") });
  const listed = checked.map(({ name, warnings }) => ({ name, warnings })); // only `lint` lists warnings
  expect(listed).toEqual([{ name: "lint" }, { name: "examples" }, { name: "compatibility" }]);
});

test("the problems of JSON have the places that they have as YAML, also for what is missing, and after a byte order mark", async () => {
  const shop = `{
  "openapi": "3.1.1",
  "info": { "title": "Shop", "version": "1.0.0", "license": {} },
  "tags": [ { "name": "a" }, {
    "name": "b", "extra": 1 } ],
  "paths": { "/a~b/{id}": { "get": {
    "parameters": [ { "name": "limit", "in": "query", "schema": { "type": "integer", "default": "\\"}" } } ],
    "responses": { "200": { "$ref": "#/components/responses/Dome" } } } } },
  "components": { "responses": { "Done": {} } }
}
`;
  write("redocly.yaml", "extends: [recommended-strict]\nplugins: [own.mjs]\nrules: { own/line: error }");
  write(
    "own.mjs",
    `const location = { pointer: undefined, start: { line: 9, col: 1 } };
const line = () => ({ Info: (_, { report }) => report({ message: "The end.", location }) });
export default () => ({ id: "own", rules: { oas3: { line } } });
`,
  );
  const placesOf = async (name: string, text: string) => {
    write(name, text);
    const problems = await lint(join(folder, name), join(folder, "redocly.yaml"));
    return problems.map(({ message, line, column }) => `${line}:${column} ${message}`);
  };
  const places = await placesOf("shop.json", shop);
  expect(places.length).toBeGreaterThan(8);
  expect(places).toEqual(await placesOf("shop.yaml", `${shop}# the end\n`));
  expect(places).toEqual(await placesOf("marked.json", `\uFEFF${shop}`));
});

/** The place of the first occurrence of a text in the contract. */
function at(text: string, columns = 0, lines = 0): string {
  const [before] = CONTRACT.split(text);
  const rows = before!.split("\n");
  return `${rows.length + lines}:${rows.at(-1)!.length + columns + 1}`;
}

function write(file: string, text: string): void {
  mkdirSync(dirname(join(folder, file)), { recursive: true });
  writeFileSync(join(folder, file), text);
}

function rulesFile(): string {
  return join(folder, "rules/redocly.yaml");
}

async function found(): Promise<string[]> {
  const problems = await lint(join(folder, "openapi.yaml"), rulesFile());
  return problems.map(({ kind, file, line, column, message }) => {
    return `${kind} ${relative(folder, resolve(ROOT, file)).replaceAll("\\", "/")}:${line}:${column}  ${message}`;
  });
}
