import type { OpenApiDocument, OperationEntry, Schema } from "../../document.ts";
import { effectiveSchema, isRecord, propertiesOf } from "../../effective-schema.ts";
import { essenceOf, isJson } from "../../media-type.ts";
import { exampleValue } from "../example-value.ts";
import { declaredBody, isForm } from "../request-body.ts";
import { after, counted, type Filling, nested, repeated, URL_UNITS } from "./fillings.ts";

/** JSON, valid or not, that is deep, wide or long: nesting, names, numbers, texts, escapes, white space. */
const JSON_FILLINGS: Filling[] = [
  ...[
    " ",
    "a",
    "1",
    "-",
    "0.",
    "[",
    "]",
    "{",
    '"',
    "\\",
    ",",
    ":",
    '{"a":',
    "[{",
    '"a",',
    "null,",
    "\\u0041",
    "\u00E9",
  ].map((unit) => ({ title: `${unit}${unit}…`, fill: repeated(unit) })),
  { title: "[[…]]", fill: (size) => "[".repeat(size / 2) + "]".repeat(size / 2) },
  { title: '{"a":{"a":…}}', fill: (size) => '{"a":'.repeat(size / 6) + "1" + "}".repeat(size / 6) },
  {
    title: '{"k0":0,"k1":0,…}',
    fill: after(
      "{",
      counted((count) => `"k${count}":0`, ","),
      "}",
    ),
  },
  {
    title: '{"0":0,"1":0,…}',
    fill: (size) => `{${Array.from({ length: size / 8 }, (_, at) => `"${at}":0`).join(",")}}`,
  },
  { title: '{"a":0,"a":0,…}', fill: after("{", repeated('"a":0,'), '"a":0}') },
  { title: '{"aa…":0}', fill: after('{"', repeated("a"), '":0}') },
  { title: '{"\\u0061…":0}', fill: after('{"', repeated("\\u0061"), '":0}') },
  { title: '{"\\\\…":0}', fill: after('{"', repeated("\\\\"), '":0}') },
  {
    title: '{"\\u00610":0,…}',
    fill: after(
      "{",
      counted((count) => `"\\u0061${count}":0`, ","),
      "}",
    ),
  },
  ...[
    "0",
    "1.5",
    "-1e5",
    "9007199254740993",
    "{}",
    "[]",
    '""',
    "null",
    "true",
    '"\\""',
    '{"a":1}',
    "1.0",
    "1e300",
    "1e400",
  ].map((item) => ({ title: `[${item},${item},…]`, fill: after("[", repeated(`${item},`), `${item}]`) })),
  ...valuesOf().map(({ title, fill }) => ({ title, fill })),
];

/** Values of JSON that one field may be given. */
function valuesOf(): Filling[] {
  return [
    ...["a", "1", " ", "\\u0041", "\\\\", "\\n", "\u00E9", "\u{1F415}", "-", "."].map((unit) => ({
      title: `"${unit}${unit}…"`,
      fill: after('"', repeated(unit), '"'),
    })),
    { title: "111…", fill: repeated("1") },
    { title: "1.111…", fill: after("1.", repeated("1")) },
    { title: "1.000…", fill: after("1.", repeated("0")) },
    { title: "0.000…1", fill: after("0.", repeated("0"), "1") },
    { title: "1e111…", fill: after("1e", repeated("1")) },
    { title: "1e000…1", fill: after("1e", repeated("0"), "1") },
    { title: "100…e-…", fill: (size) => `1${"0".repeat(size)}e-${size}` },
    { title: "0.00…1e…", fill: (size) => `0.${"0".repeat(size)}1e${size + 1}` },
  ];
}

/** What a body may consist of, in each media type that the operation takes. */
export function bodyFillings(document: OpenApiDocument, entry: OperationEntry): (Filling & { contentType: string })[] {
  const body = declaredBody(document, entry);
  if (body === undefined) return [];
  const fields = Object.entries(propertiesOf(body.schema));
  return body.declared.flatMap((declared) => {
    const essence = essenceOf(declared);
    const contentType = declared.replace("*/*", "application/octet-stream").replace("/*", "/plain");
    const withType = ({ title, fill }: Filling) => ({ title: `${essence} ${title}`, fill, contentType });
    if (isJson(essence)) return [...JSON_FILLINGS, ...jsonFields(document, body.schema, exampleOf())].map(withType);
    if (essence.startsWith("multipart/")) {
      return multipartFillings(fields.map(([name]) => name)).map((filling) => ({
        ...withType(filling),
        contentType: `${essence}; boundary=${BOUNDARY}`,
      }));
    }
    if (isForm(essence)) {
      const names = [...fields.map(([name]) => name), "undeclared"];
      const each = names.flatMap((name) => [
        ...URL_UNITS.map((unit) => ({ title: `${name}=${unit}${unit}…`, fill: after(`${name}=`, repeated(unit)) })),
        ...nested(name, "[", "]"),
      ]);
      return [...each, { title: "k0=1&…", fill: counted((count) => `k${count}=1`, "&") }].map(withType);
    }
    return ["a", " ", "\u00E9", "<a>", "<", "{", "\r\n"].map((unit) =>
      withType({ title: `${unit}…`, fill: repeated(unit) }),
    );
  });

  function exampleOf(): unknown {
    try {
      return body!.example ?? exampleValue(document, body!.schema, "");
    } catch {
      return {};
    }
  }
}

/** The fields of a body, one at a time: of each kind of value, and, where it is a list, of many of its own items. */
function jsonFields(document: OpenApiDocument, node: Schema, example: unknown): Filling[] {
  const schema = effectiveSchema(document, node);
  const itemOf = (list: Schema): unknown => {
    try {
      return exampleValue(document, effectiveSchema(document, list).items ?? {}, "");
    } catch {
      return {};
    }
  };
  if (schema.items !== undefined) {
    const item = JSON.stringify(itemOf(schema));
    return [{ title: "of many items", fill: after("[", repeated(`${item},`), `${item}]`) }];
  }
  const others = isRecord(example) ? example : {};
  return Object.entries(propertiesOf(schema)).flatMap(([name, field]) => {
    const { [name]: _, ...rest } = others;
    const start = `${JSON.stringify({ ...rest, "": 0 }).slice(0, -'"":0}'.length)}${JSON.stringify(name)}:`;
    const within = ({ title, fill }: Filling) => ({ title: `${name}: ${title}`, fill: after(start, fill, "}") });
    const item = JSON.stringify(itemOf(field));
    const lists = [item, "{}", "[]", "0", '""'].map((text) => ({
      title: `[${text.length > 20 ? "item" : text},…]`,
      fill: after("[", repeated(`${text},`), `${text}]`),
    }));
    const counting = {
      title: '[{"k":0},{"k":1},…]',
      fill: after(
        "[",
        counted((count) => `{"k":"${count}"}`, ","),
        "]",
      ),
    };
    const names = {
      title: '{"k0":0,…}',
      fill: after(
        "{",
        counted((count) => `"k${count}":0`, ","),
        "}",
      ),
    };
    return [...valuesOf(), ...lists, counting, names].map(within);
  });
}

const BOUNDARY = "X".repeat(30);

function multipartFillings(fields: string[]): Filling[] {
  const part = (name: string, value: string, more = "") =>
    `--${BOUNDARY}\r\nContent-Disposition: form-data; name="${name}"${more}\r\n\r\n${value}\r\n`;
  const end = `--${BOUNDARY}--\r\n`;
  const head = `--${BOUNDARY}\r\nContent-Disposition: form-data; name="a"`;
  const content = ["a", "\r", "\n", "\r\n", "-", "\r\n-", `\r\n--${BOUNDARY.slice(1)}`, "X", "[", "\u00E9"];
  return [
    ...[...fields, "undeclared"].flatMap((name) => [
      { title: `${name} again and again`, fill: after("", repeated(part(name, "1")), end) },
      {
        title: `${name}[k0], ${name}[k1], …`,
        fill: after(
          "",
          counted((count) => part(`${name}[k${count}]`, "1")),
          end,
        ),
      },
      { title: `${name}[] again and again`, fill: after("", repeated(part(`${name}[]`, "1")), end) },
      { title: `file ${name} again and again`, fill: after("", repeated(part(name, "1", '; filename="f"')), end) },
      ...content.map((unit) => ({
        title: `${name} of ${JSON.stringify(unit)}`,
        fill: (size: number) => part(name, repeated(unit)(size)) + end,
      })),
    ]),
    {
      title: "k0, k1, …",
      fill: after(
        "",
        counted((count) => part(`k${count}`, "1")),
        end,
      ),
    },
    { title: "a name of [k][k]…", fill: (size) => part(`a${"[k]".repeat(size / 3)}`, "1") + end },
    ...["a", '\\"', ";", "%41", "a=b;", "\u00E9"].map((unit) => ({
      title: `a name of ${unit}`,
      fill: (size: number) => part(repeated(unit)(size), "1") + end,
    })),
    ...[";", "; a=b", "; filename*=utf-8''a", " ", "=", '"'].map((unit) => ({
      title: `a disposition of ${unit}`,
      fill: (size: number) => `${head}${repeated(unit)(size)}\r\n\r\n1\r\n${end}`,
    })),
    {
      title: "headers in a part",
      fill: (size) => `${head}\r\n${counted((count) => `h${count}: a\r\n`)(size)}\r\n1\r\n${end}`,
    },
    ...["a", "\r\n", "-", "--", `--${BOUNDARY}\r\n`].map((unit) => ({
      title: `${JSON.stringify(unit)} ahead of all parts`,
      fill: (size: number) => repeated(unit)(size) + part("a", "1") + end,
    })),
  ];
}
