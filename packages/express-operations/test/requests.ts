import * as fc from "fast-check";
import {
  type OpenApiDocument,
  operationsOf,
  type OperationEntry,
  type ParameterObject,
  type RequestBodyObject,
  resolve,
  type Schema,
} from "openapi-document";

/** A request built from a document; `path` has its query. */
export interface BuiltRequest {
  operationId: string;
  method: string;
  path: string;
  headers: Record<string, string>;
  body: string | undefined;
}

type Pairs = [name: string, value: string][];

interface Draft {
  path: string;
  pathValues: Record<string, string>;
  query: Pairs;
  headers: Record<string, string>;
  body: unknown;
  /** Leaves reserved characters in query values unescaped (RFC 3986, section 2.2). */
  leavesReserved?: boolean;
}

const ODD_TEXT = [
  "",
  " ",
  "0",
  "-1",
  "5.0",
  "1e1",
  "0x10",
  "05",
  "+5",
  "true",
  "null",
  "[]",
  "{}",
  "a,b",
  "a&b",
  "é",
  "\u{1F415}",
  "a/b",
  "it's",
  "a:b",
  "(a)",
  "%",
  "NaN",
  "9007199254740993",
  "2026-02-30",
  "<b>",
];
const ODD_JSON = [null, 0, -1, 1.5, 1e300, "", "x", "x".repeat(300), true, [], {}, [[]], { a: 1 }, "2026-02-30"];

/** Requests of every operation of a document: valid ones, and valid ones changed in one to three places. */
export function requestsOf(document: OpenApiDocument): fc.Arbitrary<BuiltRequest> {
  return fc.oneof(...operationsOf(document).map((entry) => requestOf(document, entry)));
}

function requestOf(document: OpenApiDocument, entry: OperationEntry): fc.Arbitrary<BuiltRequest> {
  const requestBody = resolve<RequestBodyObject>(document, entry.operation.requestBody ?? {});
  const schema = requestBody.content?.["application/json"]?.schema;
  const bodies = schema === undefined ? fc.constant(undefined) : jsonOf(document, schema);
  const sent = fc.tuple(...entry.parameters.map((parameter) => given(document, parameter)));
  const drafts = fc.tuple(sent, bodies).map(([values, body]) => draftOf(entry, values, body));
  const mutations = fc.array(mutation(), { maxLength: 3 });
  return fc.tuple(drafts, mutations).map(([original, changes]) => {
    const draft = structuredClone(original);
    for (const change of changes) change(draft);
    return finish(entry, draft);
  });
}

function draftOf(entry: OperationEntry, values: (string[] | undefined)[], body: unknown): Draft {
  const draft: Draft = { path: entry.path, pathValues: {}, query: [], headers: {}, body };
  for (const [at, { name, in: place }] of entry.parameters.entries()) {
    const texts = values[at];
    if (texts === undefined) continue;
    if (place === "path") draft.pathValues[name] = texts[0]!;
    else if (place === "query") draft.query.push(...texts.map((text): [string, string] => [name, text]));
    else draft.headers[name] = texts[0]!;
  }
  return draft;
}

/** One change that a client might make by mistake or on purpose. */
function mutation(): fc.Arbitrary<(draft: Draft) => void> {
  const at = fc.nat();
  const text = fc.oneof(fc.constantFrom(...ODD_TEXT), fc.string({ maxLength: 12 }));
  const json = fc
    .oneof(fc.constantFrom(...ODD_JSON), fc.jsonValue({ maxDepth: 2 }))
    .map((value) => structuredClone(value));
  return fc.oneof(
    fc.tuple(at, text).map(
      ([n, value]) =>
        (draft: Draft) =>
          replaceAt(draft.query, n, value),
    ),
    fc.tuple(at, text).map(([n, value]) => (draft: Draft) => {
      const names = Object.keys(draft.pathValues);
      // `fetch` resolves `.` and `..` before it sends (RFC 3986, section 5.2.4), and an empty segment is another path.
      if (names.length > 0 && !/^\.{0,2}$/.test(value)) draft.pathValues[names[n % names.length]!] = value;
    }),
    fc.tuple(at, text).map(([n, value]) => (draft: Draft) => {
      const pair = draft.query[n % (draft.query.length || 1)];
      if (pair !== undefined) draft.query.push([pair[0], value]);
    }),
    fc
      .tuple(fc.constantFrom("unknown", "LIMIT", "limit[]", "limit[a]", "__proto__", "constructor"), text)
      .map(([name, value]) => (draft: Draft) => {
        draft.query.push([name, value]);
      }),
    fc.tuple(at, json).map(([n, value]) => (draft: Draft) => {
      const keys = typeof draft.body === "object" && draft.body !== null ? Object.keys(draft.body) : [];
      if (keys.length === 0) draft.body = draft.body === undefined ? undefined : value;
      else (draft.body as Record<string, unknown>)[keys[n % keys.length]!] = value;
    }),
    json.map((value) => (draft: Draft) => {
      if (draft.body !== undefined) draft.body = value;
    }),
    fc.constant((draft: Draft) => {
      draft.leavesReserved = true;
    }),
    at.map((n) => (draft: Draft) => {
      const keys = typeof draft.body === "object" && draft.body !== null ? Object.keys(draft.body) : [];
      if (keys.length > 0) Reflect.deleteProperty(draft.body as object, keys[n % keys.length]!);
    }),
    json.map((value) => (draft: Draft) => {
      if (typeof draft.body === "object" && draft.body !== null && !Array.isArray(draft.body))
        Object.assign(draft.body, { unknown: value });
    }),
  );
}

function replaceAt(pairs: Pairs, n: number, value: string): void {
  const pair = pairs[n % (pairs.length || 1)];
  if (pair !== undefined) pair[1] = value;
}

function finish(entry: OperationEntry, draft: Draft): BuiltRequest {
  const path = draft.path.replace(/\{([^}]+)\}/g, (_, name: string) =>
    encodeURIComponent(draft.pathValues[name]!.toWellFormed()),
  );
  const query = draft.query.map(([name, value]) => {
    const encoded = encodeURIComponent(value.toWellFormed());
    const text =
      draft.leavesReserved === true ? encoded.replace(/%(?:3A|2F|3F|40|24|2C|3B)/g, decodeURIComponent) : encoded;
    return `${encodeURIComponent(name)}=${text}`;
  });
  const body = draft.body === undefined ? undefined : JSON.stringify(draft.body);
  return {
    operationId: entry.id,
    method: entry.method.toUpperCase(),
    path: query.length > 0 ? `${path}?${query.join("&")}` : path,
    headers: { ...draft.headers, ...(body !== undefined && { "Content-Type": "application/json" }) },
    body,
  };
}

/** The texts of a parameter: several for a repeated list, undefined for a missing parameter. */
function given(document: OpenApiDocument, parameter: ParameterObject): fc.Arbitrary<string[] | undefined> {
  const schema = resolve<Schema>(document, parameter.schema ?? {});
  const texts =
    schema.type === "array"
      ? fc
          .array(jsonOf(document, schema.items ?? {}), { minLength: 1, maxLength: 3 })
          .map((items) => (parameter.explode === false ? [items.join(",")] : items.map(String)))
      : jsonOf(document, schema).map((value) => [String(value)]);
  return parameter.in === "path" ? texts : fc.option(texts, { nil: undefined });
}

/** Values that a schema allows, for the keywords used here. */
function jsonOf(document: OpenApiDocument, node: Schema, depth = 0): fc.Arbitrary<unknown> {
  const schema = resolve<Schema>(document, node) as Record<string, never> & Schema;
  if (schema["enum"] !== undefined) return fc.constantFrom(...(schema["enum"] as unknown[]));
  if (schema["oneOf"] !== undefined)
    return fc.oneof(...(schema["oneOf"] as Schema[]).map((member) => jsonOf(document, member, depth + 1)));
  switch ([schema.type].flat()[0]) {
    case "integer":
      return fc.integer({ min: schema["minimum"] ?? -1000, max: schema["maximum"] ?? 1000 });
    case "number":
      return fc.integer({ min: 1, max: 4000 }).map((quarters) => quarters / 4);
    case "boolean":
      return fc.boolean();
    case "string":
      return textOf(schema);
    case "array":
      if (depth > 2) return fc.constant([]); // schemas may refer to themselves
      return fc.array(jsonOf(document, schema.items ?? {}, depth + 1), {
        minLength: schema["minItems"] ?? 0,
        maxLength: schema["maxItems"] ?? 3,
      });
    default: {
      const fields = Object.entries((schema["properties"] ?? {}) as Record<string, Schema>).filter(
        ([, field]) => field["readOnly"] !== true,
      );
      const required = ((schema["required"] ?? []) as string[]).concat(fields.slice(0, 1).map(([name]) => name));
      return fc.record(Object.fromEntries(fields.map(([name, field]) => [name, jsonOf(document, field, depth + 1)])), {
        requiredKeys: [...new Set(required)],
      });
    }
  }
}

function textOf(schema: Schema): fc.Arbitrary<string> {
  if (schema["format"] === "date")
    return fc
      .date({ min: new Date("1970-01-01"), max: new Date("2100-01-01"), noInvalidDate: true })
      .map((date) => date.toISOString().slice(0, 10));
  if (schema["format"] === "date-time")
    return fc
      .date({ min: new Date("1970-01-01"), max: new Date("2100-01-01"), noInvalidDate: true })
      .map((date) => date.toISOString());
  if (schema["pattern"] !== undefined) return fc.stringMatching(new RegExp(schema["pattern"] as string));
  const size = { minLength: Number(schema["minLength"] ?? 0), maxLength: Number(schema["maxLength"] ?? 10) };
  return fc.string({ ...size, unit: fc.constantFrom(...Array.from("abcXYZ019 éß日-_.~")) });
}
