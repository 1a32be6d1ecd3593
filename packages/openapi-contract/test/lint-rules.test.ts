import { describe, expect, onTestFinished, test, vi } from "vitest";
import plugin from "../src/lint/lint-rules.ts";

const { id, rules } = plugin();
const names = Object.keys(rules.oas3) as (keyof typeof rules.oas3)[];

type Location = { at: string; child: (path: string | (string | number)[]) => Location };
type Visitor = (node: never, context: object) => void;

/** Returns the problems that a rule reports in nodes of one type, and in the root after them, with their places. */
function reported(
  name: (typeof names)[number],
  type: string,
  nodes: object[],
  components: object = {},
  specVersion = "oas3_1",
): string[] {
  const problems: string[] = [];
  const context = {
    location: location(""),
    specVersion,
    report: ({ message, location: { at } }: { message: string; location: Location }) =>
      problems.push(`${at}: ${message}`),
    resolve: (node: { $ref?: string }) =>
      node.$ref === undefined ? { node } : { node: components[node.$ref as keyof typeof components] as unknown },
  };
  const visitors = rules.oas3[name]() as Record<string, Visitor | { leave: Visitor }>;
  for (const node of nodes) (visitors[type] as Visitor)(node as never, context);
  (visitors["Root"] as { leave?: Visitor } | undefined)?.leave?.({} as never, context);
  return problems;
}

function location(at: string): Location {
  return {
    at,
    child: (path) =>
      location(
        [at, path]
          .flat()
          .filter((part) => part !== "")
          .join("/"),
      ),
  };
}

test("the plugin has the rules of the configuration", () => {
  expect([id, names]).toEqual([
    "platform",
    [
      "string-is-bounded",
      "array-is-bounded",
      "integer-is-bounded",
      "bounds-are-ordered",
      "default-is-valid",
      "array-has-items",
      "path-parameter-is-required",
      "reference-fits",
      "pattern-is-valid",
      "pattern-is-portable",
      "header-examples-valid",
      "servers-share-path",
      "version-fits-servers",
      "deprecation-dates-valid",
      "deprecation-is-declared",
      "successor-exists",
    ],
  ]);
});

describe("bounds", () => {
  const STRING = ["string-is-bounded", ": Bound each string with maxLength, enum or const."] as const;
  const ARRAY = ["array-is-bounded", ": Bound each array with maxItems."] as const;
  const INTEGER = ["integer-is-bounded", ": Bound each integer with minimum and maximum."] as const;
  test.each<[(typeof names)[number], string, object, boolean]>([
    [...STRING, { type: "string" }, true],
    [...STRING, { type: ["string", "null"] }, true],
    [...STRING, { type: "string", maxLength: 1 }, false],
    [...STRING, { type: "string", enum: ["a"] }, false],
    [...STRING, { type: "string", const: "a" }, false],
    [...STRING, { type: "integer" }, false],
    [...STRING, {}, false],
    [...ARRAY, { type: "array" }, true],
    [...ARRAY, { type: "array", maxItems: 1 }, false],
    [...INTEGER, { type: "integer" }, true],
    [...INTEGER, { type: "integer", minimum: 1 }, true],
    [...INTEGER, { type: "integer", maximum: 1 }, true],
    [...INTEGER, { type: "integer", minimum: 1, maximum: 1 }, false],
  ])("%s: %s %o", (rule, message, schema, isFault) => {
    expect(reported(rule, "Schema", [schema])).toEqual(isFault ? [message] : []);
  });
});

test.each<[pattern: unknown, fault?: string]>([
  [undefined],
  [1],
  ["^[a-z]+$"],
  ["^a.b$"],
  ["^(a|b)$"],
  ["^(?:a)$"],
  [String.raw`^\x41$`],
  ["^a$|^b$"],
  ["^("],
  [String.raw`^\bword$`, String.raw`remove \b or \B`],
  ["^(?!a)b$", "remove the look-ahead or look-behind"],
  ["^(?<=a)b$", "remove the look-ahead or look-behind"],
  ["^(^a)$", "write ^ only at the beginning"],
  ["^(a$)$", "write $ only at the end"],
  [String.raw`^(a)\1$`, "remove the back-reference"],
  ["^(?<name>a)$", "remove the name of the group"],
  [String.raw`^\u0041$`, String.raw`write characters as \xHH or literally`],
  [String.raw`^\cA$`, String.raw`write characters as \xHH or literally`],
  [String.raw`^\p{L}$`, String.raw`replace \p or \P with a character class`],
  [
    String.raw`^\d$`,
    String.raw`replace \d, \s or \w with a character class, since languages differ in their characters`,
  ],
  ["^a|b$", "begin it with ^ and end it with $"],
  ["a$", "begin it with ^ and end it with $"],
  ["^a", "begin it with ^ and end it with $"],
  ["$a^", "begin it with ^ and end it with $"],
  ["", "begin it with ^ and end it with $"],
  ["$a$", "begin it with ^ and end it with $"],
  ["^a^", "begin it with ^ and end it with $"],
  ["^a$|b", "begin it with ^ and end it with $"],
  ["^(?i:a)$", "remove the syntax that is newer than ECMAScript 2022"],
  // Only the first of several faults is reported.
  ...[String.raw`\b`, "(?!a)", "(^a)", "(a$)", String.raw`(a)\1`, "(?<n>a)", String.raw`\u0041`, String.raw`\p{L}`].map(
    (second): [string, string] => [
      String.raw`^\d${second}$`,
      String.raw`replace \d, \s or \w with a character class, since languages differ in their characters`,
    ],
  ),
  [String.raw`^\p{L}\d$`, String.raw`replace \p or \P with a character class`],
])("pattern-is-portable reports the fault of the pattern %s", (pattern, fault) => {
  const problems = fault === undefined ? [] : [`pattern: This pattern is not portable across languages: ${fault}.`];
  expect(reported("pattern-is-portable", "Schema", [{ pattern }])).toEqual(problems);
});

test.each<[pattern: unknown, reason?: string]>([
  [undefined],
  ["^[a-z]+$"],
  [String.raw`^\p{L}$`],
  ["^(?i:a)$"],
  ["^(", "Unterminated group"],
  [String.raw`^\-$`, "Invalid escape"],
])("pattern-is-valid says why the service cannot compile the pattern %s", (pattern, reason) => {
  const problem = `pattern: Write a regular expression of ECMA-262 that is valid with the flag u. In this one: ${reason}.`;
  expect(reported("pattern-is-valid", "Schema", [{ pattern }])).toEqual(reason === undefined ? [] : [problem]);
});

describe("default-is-valid validates a default by", () => {
  const own = ": The default";
  test.each<[schema: object, fault?: string]>([
    [{ type: "integer" }],
    [{ type: "integer", default: 1, maximum: 1 }],
    [{ type: "integer", default: 2, maximum: 1 }, `default${own} 2 does not meet its schema. 2 is greater than 1.`],
    [
      { type: "integer", default: 0, exclusiveMinimum: 0 },
      `default${own} 0 does not meet its schema. 0 is less than 0.`,
    ],
    [
      { enum: ["a"], default: "b" },
      `default${own} "b" does not meet its schema. Instance does not match any of ["a"].`,
    ],
    [{ type: "string", default: null, nullable: true }],
    [{ allOf: [{ $ref: "text" }], default: "a" }],
    [{ type: "object", properties: { a: { $ref: "circle" } }, default: { a: { next: { next: {} } } } }],
  ])("its own schema: %o", (schema, fault) => {
    const components: Record<string, object> = {
      text: { type: "string" },
      circle: { properties: { next: { $ref: "circle" } } },
    };
    expect(reported("default-is-valid", "Schema", [schema], components)).toEqual(fault === undefined ? [] : [fault]);
  });

  test("schemas behind references, and the bounds of OpenAPI 3.0", () => {
    const components = { text: { type: "string" } };
    expect(
      reported("default-is-valid", "Schema", [{ allOf: [{ $ref: "text" }], default: 1 }], components),
    ).toHaveLength(1);
    const exclusive = [1, 2].map((value) => ({ default: value, minimum: 1, exclusiveMinimum: true }));
    expect(reported("default-is-valid", "Schema", exclusive, {}, "oas3_0")).toHaveLength(1);
  });
});

test.each<[rule: (typeof names)[number], type: string, node: object, problem?: string]>([
  ["bounds-are-ordered", "Schema", { minimum: 1, maximum: 1, minLength: 0 }],
  [
    "bounds-are-ordered",
    "Schema",
    { minimum: 2, maximum: 1 },
    "minimum: minimum is above maximum. No value meets both.",
  ],
  [
    "bounds-are-ordered",
    "Schema",
    { minItems: 2, maxItems: 1 },
    "minItems: minItems is above maxItems. No value meets both.",
  ],
  ["array-has-items", "Schema", { type: "array", items: {} }],
  [
    "array-has-items",
    "Schema",
    { type: "array" },
    "type: An array of OpenAPI 3.0 has `items`. Write `items: {}` for any.",
  ],
  ["path-parameter-is-required", "Parameter", { in: "query" }],
  ["path-parameter-is-required", "Parameter", { in: "path", required: true }],
  [
    "path-parameter-is-required",
    "Parameter",
    { in: "path" },
    ": Write `required: true`. A path has a value for each of its parameters.",
  ],
])("%s: %s %o", (rule, type, node, problem) => {
  expect(reported(rule, type, [node], {}, "oas3_0")).toEqual(problem === undefined ? [] : [problem]);
});

test("an array of OpenAPI 3.1 needs no items", () => {
  expect(reported("array-has-items", "Schema", [{ type: "array" }])).toEqual([]);
});

describe("the example of a header", () => {
  test.each<[schema: object, value: unknown, isFault: boolean]>([
    [{ type: "string" }, "a", false],
    [{ type: "string" }, 1, true],
    [{ type: ["string", "null"] }, null, false],
    [{ type: "null" }, "null", true],
    [{ type: "integer" }, 1, false],
    [{ type: "integer" }, 1.5, true],
    [{ type: "number" }, 1.5, false],
    [{ type: "array" }, [], false],
    [{ type: "array" }, {}, true],
    [{ type: "object" }, {}, false],
    [{ type: "object" }, null, true],
    [{ type: "object" }, [], true],
    [{ type: "object" }, "a", true],
    [{ type: "boolean" }, "true", true],
    [{ enum: ["a"] }, "a", false],
    [{ enum: ["a"] }, "b", true],
    [{}, "b", false],
  ])("%o: %o", (schema, value, isFault) => {
    const found = isFault ? ["example: The example of a header must match the type and the enum of its schema."] : [];
    expect(reported("header-examples-valid", "Header", [{ schema, example: value }])).toEqual(found);
  });

  test("is found by name and behind references, and is checked only if the header has a schema", () => {
    const components = { two: { value: 2 }, text: { type: "string" } };
    const examples = { one: { value: 1 }, two: { $ref: "two" }, a: { value: "a" }, none: {} };
    expect(reported("header-examples-valid", "Header", [{ schema: { $ref: "text" }, examples }], components)).toEqual([
      "examples/one/value: The example of a header must match the type and the enum of its schema.",
      "examples/two/value: The example of a header must match the type and the enum of its schema.",
    ]);
    expect(reported("header-examples-valid", "Header", [{ example: 1 }, { schema: { type: "string" } }])).toEqual([]);
  });
});

test.each<[urls: string[], problems: string[]]>([
  [[], []],
  [["https://a.example/v1", "https://b.example/v1"], []],
  [
    ["https://a.example/v1", "https://b.example/v2"],
    ["servers/1/url: Every server must be a URL with the same path. The path of the first is /v1."],
  ],
  [
    ["/v1", "/v1"],
    [
      "servers/0/url: Every server must be a URL with the same path. The path of the first is unknown.",
      "servers/1/url: Every server must be a URL with the same path. The path of the first is unknown.",
    ],
  ],
])("servers-share-path reports the problems of servers at %o", (urls, problems) => {
  expect(reported("servers-share-path", "Root", [{ servers: urls.map((url) => ({ url })) }])).toEqual(problems);
  expect(reported("servers-share-path", "Root", [{}])).toEqual([]);
});

describe("deprecation-dates-valid reports the problems of", () => {
  const dates = (since?: unknown, sunset?: unknown) => ({
    ...(since !== undefined && { "x-deprecated-at": since }),
    ...(sunset !== undefined && { "x-sunset": sunset }),
  });
  const SOON = "x-sunset: x-sunset must be at least 180 days after x-deprecated-at.";
  const FORM = 'must be a date such as "2030-12-05".';
  test.each<[operation: object, problems: string[]]>([
    [{}, []],
    [dates("9999-01-01", "9999-06-30"), []],
    [dates("9999-01-01", "9999-06-29"), [SOON]],
    [dates("9999-01-01", "9999-01-01"), [SOON]],
    [dates("9999-12-31", "9999-12-30"), ["x-sunset: x-sunset must not be before x-deprecated-at."]],
    [dates(undefined, "9999-12-30"), []],
    [dates("2000-01-01"), []],
    [dates("2000-01-01", "2001-01-01"), ["x-sunset: x-sunset has passed. Remove the operation, or set a later date."]],
    [dates("2030-02-30"), [`x-deprecated-at: x-deprecated-at ${FORM}`]],
    [dates("2030-13-01"), [`x-deprecated-at: x-deprecated-at ${FORM}`]],
    [dates("9999-01-01", "on 9999-12-30"), [`x-sunset: x-sunset ${FORM}`]],
    [dates("9999-01-01", "9999-12-30T00:00:00Z"), [`x-sunset: x-sunset ${FORM}`]],
    [dates("9999-01-01", 9999), [`x-sunset: x-sunset ${FORM}`]],
    [
      { deprecated: true },
      [
        "deprecated: A deprecated operation must have x-deprecated-at.",
        "deprecated: A deprecated operation must have x-sunset.",
      ],
    ],
    [{ deprecated: true, ...dates("9999-01-01", "9999-12-30") }, []],
  ])("%o", (operation, problems) => {
    expect(reported("deprecation-dates-valid", "Operation", [operation])).toEqual(problems);
  });
});

describe("the headers of a deprecated operation", () => {
  const responses = {
    "200": { headers: { Deprecation: {}, Sunset: {} } },
    "204": {},
    "304": { $ref: "unchanged" },
    "404": { headers: { Sunset: {} } },
    "500": {},
    "4042": {},
    "x-404": {},
  };
  const components = { unchanged: { headers: { Deprecation: {} } } };
  const found = (operation: object) => reported("deprecation-is-declared", "Operation", [operation], components);

  test("are declared on 2xx, 304 and 404", () => {
    expect(found({ deprecated: true, responses })).toEqual([
      "responses/204: A deprecated operation must declare Deprecation, Sunset on its 204.",
      "responses/304: A deprecated operation must declare Sunset on its 304.",
      "responses/404: A deprecated operation must declare Deprecation on its 404.",
    ]);
  });

  test("include Link if the operation has a successor", () => {
    expect(found({ deprecated: true, "x-successor": "a", responses: { "200": responses["200"] } })).toEqual([
      "responses/200: A deprecated operation must declare Link on its 200.",
    ]);
  });

  test("are not required of other operations", () => {
    expect([...found({ responses }), ...found({ deprecated: true })]).toEqual([]);
  });
});

test("a sunset has passed once its day has begun", () => {
  vi.useFakeTimers({ now: Date.parse("2030-12-05") });
  onTestFinished(() => void vi.useRealTimers());
  const found = (day: string) => reported("deprecation-dates-valid", "Operation", [{ "x-sunset": day }]);
  expect(found("2030-12-05")).toEqual([]);
  expect(found("2030-12-04")).toHaveLength(1);
});

test("a successor may be any operation of the contract, even a later one", () => {
  const operations = [
    { operationId: "a", "x-successor": "b" },
    { operationId: "b", "x-successor": "a" },
    { operationId: "c" },
  ];
  const found = (more: object[]) => reported("successor-exists", "Operation", [...operations, ...more]);
  expect(found([])).toEqual([]);
  expect(found([{ operationId: "d", "x-successor": "e" }])).toEqual([
    "x-successor: x-successor must be an operationId of the contract.",
  ]);
});
