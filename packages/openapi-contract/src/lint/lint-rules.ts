import { Validator } from "@cfworker/json-schema";
import { type AST, RegExpParser, visitRegExpAST } from "@eslint-community/regexpp";
import type { Location } from "@redocly/openapi-core";
import {
  type HeaderObject,
  mayBe,
  type OperationObject,
  type ParameterObject,
  type ResponseObject,
  type Schema,
} from "openapi-document";

/** The rules that only a faulty contract breaks. */
const RECOMMENDED = [
  "bounds-are-ordered",
  "default-is-valid",
  "array-has-items",
  "path-parameter-is-required",
  "reference-fits",
  "pattern-is-valid",
  "header-examples-valid",
];

/** Days between the deprecation of an operation and its removal. */
const MINIMUM_NOTICE_DAYS = 180;

const MILLISECONDS_PER_DAY = 86_400_000;

/** The rules of Redocly on examples, whose faults change nothing on the wire. */
const EXAMPLES = ["media-type", "parameter", "schema"].map((of) => `no-invalid-${of}-examples`);

type Visit<Node> = (node: Node, context: Context) => void;

/** The parts of Redocly's rule context in use: https://redocly.com/docs/cli/custom-plugins/custom-rules */
interface Context {
  location: Location;
  report: (problem: { message: string; location: Location }) => void;
  resolve: <Node>(node: Node | { $ref: string }, from?: string) => { node?: Node; location?: Location };
  /** The type of the node. */
  type: { name: string };
  /** Such as `oas3_0`. */
  specVersion: string;
}

/**
 * A Redocly plugin with rules that its configuration cannot express: `platform/<name>`. `extends: [platform/recommended]` turns on
 * those that only a faulty contract breaks, and warns of invalid examples.
 */
export default function plugin() {
  const rules = {
    "string-is-bounded": requireBounds("string", ({ maxLength, enum: values, const: value }) =>
      [maxLength, values, value].every(isUndefined) ? "Bound each string with maxLength, enum or const." : undefined,
    ),
    "array-is-bounded": requireBounds("array", ({ maxItems }) =>
      isUndefined(maxItems) ? "Bound each array with maxItems." : undefined,
    ),
    "integer-is-bounded": requireBounds("integer", ({ minimum, maximum }) =>
      [minimum, maximum].some(isUndefined) ? "Bound each integer with minimum and maximum." : undefined,
    ),
    "bounds-are-ordered": () => ({ Schema: checkBounds }),
    "default-is-valid": () => ({ Schema: checkDefault }),
    "array-has-items": () => ({ Schema: checkItems }),
    "path-parameter-is-required": () => ({ Parameter: checkPathParameter }),
    "reference-fits": () => ({ ref: checkReference }),
    "pattern-is-valid": () => ({ Schema: checkPatternIsValid }),
    "pattern-is-portable": () => ({ Schema: checkPatternIsPortable }),
    "header-examples-valid": () => ({ Header: checkHeaderExamples }),
    "servers-share-path": () => ({ Root: checkServers }),
    "version-fits-servers": () => ({ Root: checkVersion }),
    "deprecation-dates-valid": () => ({ Operation: checkDates }),
    "deprecation-is-declared": () => ({ Operation: checkAnnouncement }),
    "successor-exists": successorExists,
  };
  const recommended = {
    rules: {
      ...Object.fromEntries(RECOMMENDED.map((name) => [`platform/${name}`, "error" as const])),
      ...Object.fromEntries(EXAMPLES.map((name) => [name, "warn" as const])),
    },
  };
  return { id: "platform", rules: { oas3: rules }, configs: { recommended } };
}

/** Requires bounds of each schema whose `type` is or includes the given one. */
function requireBounds(type: string, problemOf: (schema: Schema) => string | undefined) {
  const check: Visit<Schema> = (schema, { report, location }) => {
    const message = [schema.type].flat().includes(type) ? problemOf(schema) : undefined;
    if (message !== undefined) report({ message, location });
  };
  return () => ({ Schema: check });
}

/** Pairs of keywords, the lower one first. No value meets both if the lower one is above the other. */
const BOUNDS = [
  ["minimum", "maximum"],
  ["minLength", "maxLength"],
  ["minItems", "maxItems"],
  ["minContains", "maxContains"],
  ["minProperties", "maxProperties"],
];

const checkBounds: Visit<Record<string, unknown>> = (schema, { report, location }) => {
  for (const [lower, upper] of BOUNDS)
    if (Number(schema[lower!]) > Number(schema[upper!]))
      report({ message: `${lower} is above ${upper}. No value meets both.`, location: location.child(lower!) });
};

/** A service fills in defaults without validating them. */
const checkDefault: Visit<Schema> = (schema, { report, location, resolve, specVersion }) => {
  const { default: value } = schema as { default?: unknown };
  if (value === undefined || (value === null && schema["nullable"] === true)) return;
  // OpenAPI 3.0 extends JSON Schema Wright Draft 00, whose keywords are those of draft 4.
  const validator = new Validator(writtenOut(schema, resolve) as object, specVersion === "oas3_0" ? "4" : "2020-12");
  const fault = validator.validate(value).errors.at(-1);
  if (fault === undefined) return;
  const shown = JSON.stringify(value).slice(0, 100);
  report({
    message: `The default ${shown} does not meet its schema. ${fault.error}`,
    location: location.child("default"),
  });
};

/** Returns a schema with its references replaced. A circle ends in a schema of any value. */
function writtenOut(node: unknown, resolve: Context["resolve"], from?: string, above: unknown[] = []): unknown {
  if (typeof node !== "object" || node === null) return node;
  if (Array.isArray(node)) return node.map((part) => writtenOut(part, resolve, from, above));
  if (typeof (node as Schema).$ref === "string") {
    const { node: target, location } = resolve<Schema>(node as Schema, from);
    if (target === undefined || above.includes(target)) return {};
    return writtenOut(target, resolve, location?.source.absoluteRef, [...above, target]);
  }
  return Object.fromEntries(
    Object.entries(node).map(([key, part]) => [key, writtenOut(part, resolve, from, above)] as const),
  );
}

/** OpenAPI 3.0, "Schema Object": "`items` MUST be present if the `type` is `array`." */
const checkItems: Visit<Schema> = ({ type, items }, { report, location, specVersion }) => {
  if (specVersion !== "oas3_0" || type !== "array" || items !== undefined) return;
  report({
    message: "An array of OpenAPI 3.0 has `items`. Write `items: {}` for any.",
    location: location.child("type"),
  });
};

/** OpenAPI 3.1, "Parameter Object": the parameter of a path is required. */
const checkPathParameter: Visit<ParameterObject> = (parameter, { report, location }) => {
  if (parameter.in !== "path" || parameter.required === true) return;
  report({ message: "Write `required: true`. A path has a value for each of its parameters.", location });
};

/** The type of the objects in each section of `components`. */
const TYPES: Record<string, string> = {
  schemas: "Schema",
  responses: "Response",
  parameters: "Parameter",
  examples: "Example",
  requestBodies: "RequestBody",
  headers: "Header",
  links: "Link",
  callbacks: "Callback",
  pathItems: "PathItem",
};

/** A reference to an object of another kind. Redocly reports each of its fields instead, at the target. */
const checkReference: Visit<{ $ref: string }> = ({ $ref }, { report, location, type }) => {
  const [, section = ""] = /#\/components\/(\w+)\/[^/]+$/.exec($ref) ?? [];
  const [needed] = Object.entries(TYPES).find(([, name]) => name === type.name) ?? [];
  if (needed === undefined || !(section in TYPES) || section === needed) return;
  report({
    message: `This refers to an object of components/${section}. Refer to one of components/${needed}.`,
    location: location.child("$ref"),
  });
};

/** The service compiles patterns when it starts. */
const checkPatternIsValid: Visit<Schema> = ({ pattern }, { report, location }) => {
  if (typeof pattern !== "string") return;
  try {
    parsePattern(pattern, 2025);
  } catch (error) {
    const [, reason] = /: ([^:]+)$/.exec((error as Error).message) ?? [];
    const message = `Write a regular expression of ECMA-262 that is valid with the flag u. In this one: ${reason}.`;
    report({ message, location: location.child("pattern") });
  }
};

/** Generated clients compile patterns with the regular expressions of their own language. */
const checkPatternIsPortable: Visit<Schema> = ({ pattern }, { report, location }) => {
  const fault = typeof pattern === "string" ? portabilityFault(pattern) : undefined;
  if (fault !== undefined)
    report({
      message: `This pattern is not portable across languages: ${fault}.`,
      location: location.child("pattern"),
    });
};

/** The first feature of a pattern that ECMA-262, Python, Java, Go (RE2) and Rust treat differently; see JSON Schema Core, section 6.4. */
function portabilityFault(source: string): string | undefined {
  const pattern = parsedPattern(source, 2022);
  if (pattern === undefined) {
    const isInvalid = parsedPattern(source, 2025) === undefined; // another rule says so
    return isInvalid ? undefined : "remove the syntax that is newer than ECMAScript 2022";
  }
  const faults: string[] = [];
  visitRegExpAST(pattern, {
    onAssertionEnter: ({ kind, parent }) => {
      if (kind === "word") faults.push("remove \\b or \\B");
      else if (kind.startsWith("look")) faults.push("remove the look-ahead or look-behind");
      else if (parent.parent !== pattern)
        faults.push(kind === "start" ? "write ^ only at the beginning" : "write $ only at the end");
    },
    onBackreferenceEnter: () => void faults.push("remove the back-reference"),
    onCapturingGroupEnter: ({ name }) => void (name !== null && faults.push("remove the name of the group")),
    onCharacterEnter: ({ raw }) => void (/\\[uc]/.test(raw) && faults.push("write characters as \\xHH or literally")),
    onCharacterSetEnter: ({ kind }) => {
      if (kind === "property") faults.push("replace \\p or \\P with a character class");
      else if (kind !== "any")
        faults.push("replace \\d, \\s or \\w with a character class, since languages differ in their characters");
    },
  });
  const isAnchored = pattern.alternatives.every(({ elements }) => {
    const [first, last] = [elements[0], elements.at(-1)];
    return first?.type === "Assertion" && first.kind === "start" && last?.type === "Assertion" && last.kind === "end";
  });
  return faults[0] ?? (isAnchored ? undefined : "begin it with ^ and end it with $");
}

function parsePattern(source: string, ecmaVersion: 2022 | 2025): AST.Pattern {
  return new RegExpParser({ ecmaVersion }).parsePattern(source, 0, source.length, true);
}

function parsedPattern(source: string, ecmaVersion: 2022 | 2025): AST.Pattern | undefined {
  try {
    return parsePattern(source, ecmaVersion);
  } catch {
    return undefined;
  }
}

/** Redocly validates the examples of parameters and bodies, but not those of headers. */
const checkHeaderExamples: Visit<HeaderObject> = (header, { report, location, resolve }) => {
  const schema = header.schema && resolve<Schema>(header.schema).node;
  if (schema === undefined) return;
  const named = Object.entries(header.examples ?? {}).map(
    ([name, example]) => [["examples", name, "value"], resolve<{ value?: unknown }>(example).node?.value] as const,
  );
  for (const [path, value] of [[["example"], header.example] as const, ...named]) {
    if (value === undefined || mayBe(schema, value)) continue;
    report({
      message: "The example of a header must match the type and the enum of its schema.",
      location: location.child([...path]),
    });
  }
};

/** The service mounts its operations below one path, so all servers must share it. */
const checkServers: Visit<{ servers?: { url: string }[] }> = ({ servers = [] }, { report, location }) => {
  const paths = servers.map(({ url }) => URL.parse(url)?.pathname);
  for (const [index, path] of paths.entries()) {
    if (path !== undefined && path === paths[0]) continue;
    const message = `Every server must be a URL with the same path. The path of the first is ${paths[0] ?? "unknown"}.`;
    report({ message, location: location.child(["servers", index, "url"]) });
  }
};

/** Clients of one major version keep their base URL, and breaking changes get another. */
const checkVersion: Visit<{ info?: { version?: string }; servers?: { url: string }[] }> = (
  root,
  { report, location },
) => {
  const version = String(root.info?.version);
  const [, major] = /^(\d+)\.\d+\.\d+$/.exec(version) ?? [];
  if (major === undefined) {
    const message = `info.version is ${version}. Write three numbers, such as 1.0.0.`;
    report({ message, location: location.child(["info", "version"]) });
    return;
  }
  for (const [index, { url }] of (root.servers ?? []).entries()) {
    if (URL.parse(url, "http://localhost")?.pathname.endsWith(`/v${major}`)) continue;
    const message = `info.version is ${version}, so the path of each server must end in /v${major}. This one does not: ${url}`;
    report({ message, location: location.child(["servers", index, "url"]) });
  }
};

const checkDates: Visit<OperationObject> = (operation, { report, location }) => {
  const fields = ["x-deprecated-at", "x-sunset"] as const;
  const [since, sunset] = fields.map((field) => dayOf(operation[field]));
  for (const field of fields) {
    if (operation[field] === undefined || dayOf(operation[field]) !== undefined) continue;
    report({ message: `${field} must be a date such as "2030-12-05".`, location: location.child(field) });
  }
  for (const field of fields) {
    if (operation.deprecated !== true || operation[field] !== undefined) continue;
    report({ message: `A deprecated operation must have ${field}.`, location: location.child("deprecated") });
  }
  if (sunset === undefined) return;
  if (since !== undefined && sunset < since)
    report({ message: "x-sunset must not be before x-deprecated-at.", location: location.child("x-sunset") });
  else if (since !== undefined && sunset - since < MINIMUM_NOTICE_DAYS * MILLISECONDS_PER_DAY) {
    const message = `x-sunset must be at least ${MINIMUM_NOTICE_DAYS} days after x-deprecated-at.`;
    report({ message, location: location.child("x-sunset") });
  }
  if (sunset < Date.now()) {
    const message = "x-sunset has passed. Remove the operation, or set a later date.";
    report({ message, location: location.child("x-sunset") });
  }
};

/** Responses 2xx, 304 and 404 announce the deprecation. Generated clients read only declared headers. */
const checkAnnouncement: Visit<OperationObject> = (operation, { report, location, resolve }) => {
  if (operation.deprecated !== true) return;
  const names = ["Deprecation", "Sunset", ...(operation["x-successor"] === undefined ? [] : ["Link"])];
  for (const [status, node] of Object.entries(operation.responses ?? {})) {
    if (!/^(2..|304|404)$/.test(status)) continue;
    const declared = Object.keys(resolve<ResponseObject>(node).node?.headers ?? {});
    const missing = names.filter((name) => !declared.includes(name));
    if (missing.length === 0) continue;
    const message = `A deprecated operation must declare ${missing.join(", ")} on its ${status}.`;
    report({ message, location: location.child(["responses", status]) });
  }
};

/** The start of an ISO 8601 date in UTC, in milliseconds since 1970; undefined for any other value. */
function dayOf(value: unknown): number | undefined {
  if (typeof value !== "string") return undefined;
  const time = Date.parse(value);
  return Number.isNaN(time) || new Date(time).toISOString().slice(0, 10) !== value ? undefined : time;
}

function successorExists() {
  const ids = new Set<unknown>();
  const successors: { id: unknown; location: Location }[] = [];
  const collect: Visit<OperationObject> = ({ operationId, "x-successor": id }, { location }) => {
    ids.add(operationId);
    if (id !== undefined) successors.push({ id, location: location.child("x-successor") });
  };
  const leave: Visit<unknown> = (_root, { report }) => {
    for (const { id, location } of successors)
      if (!ids.has(id)) report({ message: "x-successor must be an operationId of the contract.", location });
  };
  return { Operation: collect, Root: { leave } };
}

function isUndefined(value: unknown): boolean {
  return value === undefined;
}
