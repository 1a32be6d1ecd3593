import {
  effectiveSchema,
  essenceOf,
  isJson,
  isRecord,
  type MediaTypeObject,
  type OpenApiDocument,
  type OperationEntry,
  propertiesOf,
  type RequestBodyObject,
  resolve,
  type Schema,
} from "openapi-document";
import { exampleValue } from "../../example/example-value.ts";
import { isForm, sentAs } from "../request-body.ts";
import { parsed } from "../stream-items.ts";
import { counted, enclosed, type Filling, nested, pairFillings, repeated } from "./fillings.ts";

const BOUNDARY = "X".repeat(30);

/** Returns large bodies in each media type that the operation accepts. Large JSON has the other fields of the example. */
export function bodyInputs(
  document: OpenApiDocument,
  entry: OperationEntry,
  example = "",
): (Filling & { contentType: string })[] {
  if (entry.method === "get" || entry.method === "head") return [];
  const { content = {} } = resolve<RequestBodyObject>(document, entry.operation.requestBody ?? {});
  return Object.entries(content).flatMap(([declared, media]) => {
    const essence = essenceOf(sentAs(declared));
    const contentType = essence.startsWith("multipart/") ? `${essence}; boundary=${BOUNDARY}` : sentAs(declared);
    return inputsOf(document, essence, media, example).map(({ title, fill }) => ({
      title: `${essence} ${title}`,
      fill,
      contentType,
    }));
  });
}

function inputsOf(
  document: OpenApiDocument,
  essence: string,
  { schema = {} }: MediaTypeObject,
  example: string,
): Filling[] {
  const fields = [...Object.keys(propertiesOf(effectiveSchema(document, schema))), "undeclared"];
  if (isJson(essence)) return jsonInputs(document, schema, parsed(example));
  if (essence.startsWith("multipart/")) return multipartInputs(fields);
  if (isForm(essence)) return fields.flatMap(pairFillings);
  return ["a", " ", "\u00E9", "<a>", "<", "{", "\r\n"].map((text) => repeated(text));
}

/** Large values for any field: long texts, long numbers, many names. */
const VALUES: Filling[] = [
  ...["a", "1", " ", "\\u0041", "\\\\", "\\n", "\u00E9", "\u{1F415}", "-", "."].map((text) => repeated(text, '"', '"')),
  repeated("1"),
  repeated("1", "1."),
  repeated("0", "1."),
  repeated("0", "0.", "1"),
  repeated("1", "1e"),
  repeated("0", "1e", "1"),
  { title: "1000…e-…", fill: (size) => `1${"0".repeat(size - 10)}e-${size - 10}` },
  { title: "0.000…1e…", fill: (size) => `0.${"0".repeat(size - 10)}1e${size - 9}` },
  counted((count) => `"k${count}":0`, ",", "{", "}"),
];

/** Large texts for any schema, some of them JSON: deep, wide or long. */
const TEXTS: Filling[] = [
  ...[" ", "\u00E9", ...'a - 0. [ ] { " \\ , : {"a": [{ "a", null, \\u0041'.split(" ")].map((text) => repeated(text)),
  nested("[", "]"),
  nested('{"a":', "}", "", "1"),
  counted((count) => `"${count}":0`, ",", "{", "}"),
  counted((count) => `"\\u0061${count}":0`, ",", "{", "}"),
  repeated('"a":0,', "{", '"a":0}'),
  ...["a", "\\u0061", "\\\\"].map((text) => repeated(text, '{"', '":0}')),
  ...'0 1.5 -1e5 9007199254740993 {} [] "" null true "\\"" {"a":1} 1.0 1e300 1e400'.split(" ").map(listOf),
];

function listOf(item: string): Filling {
  return repeated(`${item},`, "[", `${item}]`);
}

/** Returns large JSON bodies for a schema: as a whole and field by field. */
export function jsonInputs(document: OpenApiDocument, node: Schema, example: unknown): Filling[] {
  const schema = effectiveSchema(document, node);
  const whole = schema.items === undefined ? [] : [{ ...listOf(itemOf(document, schema)), title: "[item,…]" }];
  const fields = Object.entries(propertiesOf(schema)).flatMap(([name, field]) => {
    const { [name]: _, ...others } = isRecord(example) ? example : {};
    const start = `${JSON.stringify({ ...others, "": 0 }).slice(0, -'"":0}'.length)}${JSON.stringify(name)}:`;
    const item = itemOf(document, effectiveSchema(document, field));
    const lists = [...new Set([item, "{}", "[]", "0", '""'])].map(listOf);
    const different = counted((count) => `{"k":"${count}"}`, ",", "[", "]");
    return [...VALUES, ...lists, different].map((filling) => ({
      ...enclosed(filling, start, "}"),
      title: `${name}: ${filling.title}`,
    }));
  });
  return [...TEXTS, ...VALUES, ...whole, ...fields];
}

function itemOf(document: OpenApiDocument, schema: Schema): string {
  try {
    return JSON.stringify(exampleValue(document, schema.items ?? {}, ""));
  } catch {
    return "{}";
  }
}

const END = `--${BOUNDARY}--\r\n`;
const HEAD = `--${BOUNDARY}\r\nContent-Disposition: form-data; name="`;

function part(name: string, more = ""): string {
  return `${HEAD}${name}"${more}\r\n\r\n1\r\n`;
}

/** Returns large multipart bodies with these fields: many parts, long names, headers and contents. */
function multipartInputs(fields: string[]): Filling[] {
  const contents = ["a", "\r", "\n", "\r\n", "-", "\r\n-", `\r\n--${BOUNDARY.slice(1)}`, "X", "[", "\u00E9"];
  const fillings = [
    ...fields.flatMap((name) => [
      ...[part(name), part(`${name}[]`), part(name, '; filename="f"')].map((text) => repeated(text, "", END)),
      counted((count) => part(`${name}[k${count}]`), "", "", END),
      ...contents.map((text) => repeated(text, `${HEAD}${name}"\r\n\r\n`, `\r\n${END}`)),
    ]),
    ...["a", "[k]", '\\"', ";", "%41", "a=b;", "\u00E9"].map((text) =>
      repeated(text, `${HEAD}b`, `"\r\n\r\n1\r\n${END}`),
    ),
    ...[";", "; a=b", "; filename*=utf-8''a", " ", "=", '"'].map((text) =>
      repeated(text, `${HEAD}b"`, `\r\n\r\n1\r\n${END}`),
    ),
    ...["a", "\r\n", "-", "--", `--${BOUNDARY}\r\n`].map((text) => repeated(text, "", part("b") + END)),
    counted((count) => part(`k${count}`), "", "", END),
    counted((count) => `h${count}: a\r\n`, "", `${HEAD}b"\r\n`, `\r\n1\r\n${END}`),
  ];
  return fillings.map(({ title, fill }) => ({ fill, title: printable(title) }));
}

/** Shortens a multipart body to one line: the boundary is `X`, and a line ends with `|`. */
function printable(body: string): string {
  const short = body.replaceAll(BOUNDARY, "X").replaceAll("Content-Disposition: form-data; ", "");
  return short.replaceAll("\r\n", "|").replaceAll("\r", "\\r").replaceAll("\n", "\\n");
}
