import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { lint } from "openapi-contract/lint";
import { root } from "@platform/test-support/clone";
import { describe, expect, test } from "vitest";

const contract = readFileSync(join(root, "openapi/openapi.yaml"), "utf8");

/** The text of the contract to replace, its replacement, and the rule that must report the fault. */
type Fault = [text: string | RegExp, change: string | (() => string), rule: string];

/** The faults that the contract must never have. */
const faults: Record<string, Fault> = {
  "an operation without operationId": [/^ +operationId: listPets\n/m, "", "operation-operationId"],
  "an operationId used twice": ["operationId: createPet", "operationId: listPets", "operation-operationId-unique"],
  "an operation without tag": [/^ +tags: \[Pets\]\n/m, "", "rule/operation-declares-security"],
  "an empty list of tags": ["tags: [Pets]", "tags: []", "rule/operation-has-a-tag"],
  "a tag that is not declared": ["tags: [Pets]", "tags: [Nobody]", "operation-tag-defined"],
  "an operation without security": [/^ +security:\n.*\n/m, "", "rule/operation-declares-security"],
  "a security scheme that does not exist": ["- bearerAuth:", "- basicAuth:", "security-defined"],
  "an operation without 401": [/^ +"401":\n.*\n/m, "", "rule/operation-declares-errors"],
  "an operation without 403": [/^ +"403":\n.*\n/m, "", "rule/operation-declares-errors"],
  "an operation without 429": [/^ +"429":\n.*\n/m, "", "rule/operation-declares-errors"],
  "an operation without 503": [/^ +"503":\n.*\n/m, "", "rule/operation-declares-errors"],
  "an operation without default": [/^ +default:\n.*\n/m, "", "rule/operation-declares-errors"],
  "a success response without X-Request-Id": [/^ +X-Request-Id:\n.*\n/m, "", "response-contains-header"],
  "a deprecated operation whose 404 does not declare Sunset": [
    /("404":\n(?:.*\n){3,6}?) +Sunset:\n.*\n/,
    "$1",
    "platform/deprecation-is-declared",
  ],
  ...Object.fromEntries(
    [
      String.raw`^\p{L}*$`,
      String.raw`^(?<=a)b$`,
      String.raw`^(?!a)b$`,
      String.raw`^\d+$`,
      String.raw`^\u0041$`,
      String.raw`^(a)\1$`,
      String.raw`^(?<name>a)$`,
      String.raw`^\bword$`,
      "^a|b$",
      "[a-z]+",
    ].map((pattern): [string, Fault] => [
      `the pattern ${pattern}`,
      [/pattern: \^\[A-Za-z.*/, () => `pattern: '${pattern}'`, "platform/pattern-is-portable"],
    ]),
  ),
  "the pattern ^(": [/pattern: \^\[A-Za-z.*/, "pattern: ^(", "platform/pattern-is-valid"],
  "a string without bounds": [/^ +maxLength: 255\n/m, "", "platform/string-is-bounded"],
  "a string or null without bounds": [
    /type: string(\n.*){2}maxLength: 255\n/,
    'type: [string, "null"]\n',
    "platform/string-is-bounded",
  ],
  "an array without maxItems": [/^ +maxItems: 100\n/m, "", "platform/array-is-bounded"],
  "an integer without minimum": [/^ +minimum: 1\n/m, "", "platform/integer-is-bounded"],
  "an integer without maximum": [/^ +maximum: 100\n/m, "", "platform/integer-is-bounded"],
  "an integer or null without bounds": [
    /type: integer\n +minimum: 1\n/,
    'type: [integer, "null"]\n',
    "platform/integer-is-bounded",
  ],
  "a body example that violates its schema": [/status: pending/g, "status: lost", "no-invalid-media-type-examples"],
  "a parameter example that violates its schema": ["value: 10\n", "value: 101\n", "no-invalid-parameter-examples"],
  "a header example of another type": ['value: "@1795219200"', "value: 1795219200", "platform/header-examples-valid"],
  "a header example with an undeclared value": ['value: "true"', 'value: "yes"', "platform/header-examples-valid"],
  "a server with another path": [
    "staging.petstore.example/v1",
    "staging.petstore.example/v2",
    "platform/servers-share-path",
  ],
  "a server without a path": ["staging.petstore.example/v1", "staging.petstore.example", "platform/servers-share-path"],
  "a sunset that has passed": [
    /"2026-11-21"\n +x-sunset: .*/,
    '"2020-01-01"\n      x-sunset: "2020-12-31"',
    "platform/deprecation-dates-valid",
  ],
  "a sunset before the deprecation": [
    /"2026-11-21"\n +x-sunset: .*/,
    '"9999-12-31"\n      x-sunset: "9999-12-30"',
    "platform/deprecation-dates-valid",
  ],
  "a sunset 179 days after the deprecation": [
    /"2026-11-21"\n +x-sunset: .*/,
    '"9999-01-01"\n      x-sunset: "9999-06-29"',
    "platform/deprecation-dates-valid",
  ],
  "a deprecation without a date": [/^ +x-deprecated-at:.*\n/m, "", "platform/deprecation-dates-valid"],
  "a deprecation without a sunset": [/^ +x-sunset:.*\n/m, "", "platform/deprecation-dates-valid"],
  "a date that does not exist": ['"2030-12-05"', '"2030-02-30"', "platform/deprecation-dates-valid"],
  "a successor that does not exist": ["x-successor: listPets", "x-successor: findPets", "platform/successor-exists"],
  "an unused schema": ["\n  schemas:\n", "\n  schemas:\n    Flag:\n      type: boolean\n", "no-unused-components"],
};

describe("the lint of the contract", () => {
  test("finds nothing in the contract", async () => {
    expect(await brokenRules(contract)).toEqual([]);
  });

  test.each(Object.entries(faults))("finds %s", async (_fault, [text, change, rule]) => {
    expect(await brokenRules(contract.replace(text, change as string))).toContain(rule);
  });
});

async function brokenRules(document: string): Promise<(string | undefined)[]> {
  const directory = mkdtempSync(join(tmpdir(), "contract-lint-"));
  const file = join(directory, "openapi.yaml");
  writeFileSync(file, document);
  const problems = await lint(file);
  rmSync(directory, { recursive: true });
  return problems.map(({ rule }) => rule);
}
