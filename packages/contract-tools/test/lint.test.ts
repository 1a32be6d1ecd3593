import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { bundle } from "../src/generate/bundle.ts";
import { contractProblems, lint } from "../src/lint/lint.ts";
import { CONTRACT_FILE, ROOT } from "../src/paths.ts";

const CONTRACT = readFileSync(CONTRACT_FILE, "utf8");
const CURSOR = '"#/components/parameters/Cursor"';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "lint-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
});

describe("one cause is one problem:", () => {
  test.each<[fault: string, text: string | RegExp, replacement: string, place: string, message: string]>([
    ["no content", /^.*$/s, "", "1:1", "This is not an OpenAPI document. Begin it with `openapi: 3.1.1`."],
    ["a list", /^.*$/s, "- a\n", "1:1", "This is not an OpenAPI document. Begin it with `openapi: 3.1.1`."],
    ["no version", /^openapi: .*\n/, "", "1:1", "This is not an OpenAPI document. Begin it with `openapi: 3.1.1`."],
    [
      "an unclosed quote",
      "operationId: createPet",
      'operationId: "createPet',
      at("operationId: createPet", 13),
      'Missing closing "quote',
    ],
    [
      "a repeated key",
      "operationId: createPet",
      "operationId: a\n      operationId: b",
      at("operationId: createPet", 0, 1),
      "Map keys must be unique",
    ],
    [
      "a repeated operationId",
      "operationId: createPet",
      "operationId: listPets",
      at("operationId: createPet"),
      "Every operation must have a unique `operationId`.",
    ],
    [
      "a misspelt key",
      "operationId: createPet",
      "operationID: createPet",
      at("operationId: createPet"),
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
  ])("%s", async (_fault, text, replacement, place, message) => {
    write("openapi.yaml", CONTRACT.replace(text, replacement));
    expect(await found()).toEqual([`fault openapi.yaml:${place}  ${message}`]);
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
    expect(await found()).toEqual(['fault schemas/own.yaml:1:7  Missing closing "quote']);
    await expect(bundle(join(folder, "openapi.yaml"))).rejects.toThrow(/own\.yaml:\d+:\d+ {2}/);
  });
});

test("a warning is no problem of `contract check`", async () => {
  expect(await contractProblems(CONTRACT_FILE)).toEqual([]);
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

async function found(): Promise<string[]> {
  const problems = await lint(join(folder, "openapi.yaml"));
  return problems.map(({ kind, file, line, column, message }) => {
    return `${kind} ${relative(folder, join(ROOT, file))}:${line}:${column}  ${message}`;
  });
}
