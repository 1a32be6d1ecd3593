import { type OpenApiDocument, type Schema, effectiveSchema, isRecord, propertiesOf } from "openapi-document";
import { exampleValue } from "../../example/example-value.ts";
import { counted, enclosed, type Filling, repeated } from "./fillings.ts";

const list = (item: string) => enclosed("[", repeated(`${item},`), `${item}]`);
const object = (textOf: (count: number) => string) => enclosed("{", counted(textOf, ","), "}");

/** Large values for any field: long texts, long numbers, many names. */
const VALUES: Filling[] = [
  ...["a", "1", " ", "\\u0041", "\\\\", "\\n", "\u00E9", "\u{1F415}", "-", "."].map((text) => ({
    title: `"${text}${text}…"`,
    fill: enclosed('"', repeated(text), '"'),
  })),
  { title: "111…", fill: repeated("1") },
  { title: "1.111…", fill: enclosed("1.", repeated("1")) },
  { title: "1.000…", fill: enclosed("1.", repeated("0")) },
  { title: "0.000…1", fill: enclosed("0.", repeated("0"), "1") },
  { title: "1e111…", fill: enclosed("1e", repeated("1")) },
  { title: "1e000…1", fill: enclosed("1e", repeated("0"), "1") },
  { title: "1000…e-…", fill: (size) => `1${"0".repeat(size - 10)}e-${size - 10}` },
  { title: "0.000…1e…", fill: (size) => `0.${"0".repeat(size - 10)}1e${size - 9}` },
  { title: '{"k0":0,"k1":0,…}', fill: object((count) => `"k${count}":0`) },
];

/** Large texts for any schema, some of them JSON: deep, wide or long. */
const TEXTS: Filling[] = [
  ...[" ", "\u00E9", ...'a 1 - 0. [ ] { " \\ , : {"a": [{ "a", null, \\u0041'.split(" ")].map((text) => ({
    title: `${text}${text}…`,
    fill: repeated(text),
  })),
  { title: "[[…]]", fill: (size) => "[".repeat(size / 2) + "]".repeat(size / 2) },
  { title: '{"a":{"a":…}}', fill: (size) => `${'{"a":'.repeat(size / 6 - 1)}1${"}".repeat(size / 6 - 1)}` },
  { title: '{"0":0,"1":0,…}', fill: object((count) => `"${count}":0`) },
  { title: '{"\\u00610":0,…}', fill: object((count) => `"\\u0061${count}":0`) },
  { title: '{"a":0,"a":0,…}', fill: enclosed("{", repeated('"a":0,'), '"a":0}') },
  ...["a", "\\u0061", "\\\\"].map((text) => ({
    title: `{"${text}…":0}`,
    fill: enclosed('{"', repeated(text), '":0}'),
  })),
  ...'0 1.5 -1e5 9007199254740993 {} [] "" null true "\\"" {"a":1} 1.0 1e300 1e400'.split(" ").map((item) => ({
    title: `[${item},${item},…]`,
    fill: list(item),
  })),
];

/** Returns large JSON bodies for a schema: as a whole and field by field. */
export function jsonInputs(document: OpenApiDocument, node: Schema, example: unknown): Filling[] {
  const schema = effectiveSchema(document, node);
  const whole = schema.items === undefined ? [] : [{ title: "[item,…]", fill: list(itemOf(document, schema)) }];
  const others = isRecord(example) ? example : {};
  const fields = Object.entries(propertiesOf(schema)).flatMap(([name, field]) => {
    const { [name]: _, ...rest } = others;
    const start = `${JSON.stringify({ ...rest, "": 0 }).slice(0, -'"":0}'.length)}${JSON.stringify(name)}:`;
    const items = [itemOf(document, effectiveSchema(document, field)), "{}", "[]", "0", '""'];
    const lists = [...new Set(items)].map((item) => ({
      title: `[${item.length > 20 ? "item" : item},…]`,
      fill: list(item),
    }));
    const different = {
      title: '[{"k":0},{"k":1},…]',
      fill: enclosed(
        "[",
        counted((count) => `{"k":"${count}"}`, ","),
        "]",
      ),
    };
    return [...VALUES, ...lists, different].map(({ title, fill }) => ({
      title: `${name}: ${title}`,
      fill: enclosed(start, fill, "}"),
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
