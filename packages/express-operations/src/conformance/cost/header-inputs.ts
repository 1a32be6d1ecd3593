import type { OperationEntry } from "../../document.ts";
import { after, counted, type Filling, repeated } from "./fillings.ts";

/** What lists, parameters, quoted strings, dates and credentials in headers consist of. */
const HEADER_UNITS = [
  " ",
  "\t",
  ", ",
  "; ",
  "a, ",
  "a=b; ",
  'W/"a", ',
  "Bearer ",
  "Basic a",
  "1.1.1.1, ",
  "\xE9",
  ...'a 1 , ; " \\" = ( % %41 / - . : * \\ a, a; a= a=b; "a "a", a="b", a="\\ a/ a/b, */*, a/b;q=0.1,'.split(" "),
  ...'application/json, application/json;a= application/json;a=" ;charset=utf-8 ;q=1 for=1; 0-1, 00- gzip, chunked,'.split(
    " ",
  ),
];

/** Headers that HTTP, the Fetch standard or common middleware give a form, beside those that the operation declares. */
const HEADERS = [
  "Accept Accept-Encoding Accept-Language Access-Control-Request-Headers Authorization Content-Encoding Content-Type Cookie",
  "Forwarded Host If-Match If-Modified-Since If-None-Match Origin Prefer Range X-Forwarded-For X-Request-Id traceparent tracestate",
].flatMap((names) => names.split(" "));

/** What the value of one header may consist of. */
export function headerFillings(entry: OperationEntry): (Filling & { name: string; of?: string })[] {
  const declared = entry.parameters.filter((parameter) => parameter.in === "header").map(({ name }) => name);
  const names = [...declared.map((name) => ({ name, of: `header ${name}` })), ...HEADERS.map((name) => ({ name }))];
  const values = names.flatMap(({ name, ...rest }) =>
    HEADER_UNITS.map((unit) => ({ title: `${name}: ${unit}${unit}…`, name, fill: repeated(unit), ...rest })),
  );
  const ranges = { title: "Accept: a/0,a/1,…", name: "Accept", fill: counted((count) => `a/${count}`, ",") };
  const cookies = entry.parameters.filter((parameter) => parameter.in === "cookie").map(({ name }) => name);
  return [
    ...values,
    ranges,
    { title: "Cookie: k0=1;k1=1;…", name: "Cookie", fill: counted((count) => `k${count}=1`, ";") },
    ...cookies.flatMap((name) =>
      HEADER_UNITS.map((unit) => ({
        title: `Cookie: ${name}=${unit}${unit}…`,
        name: "Cookie",
        of: `cookie ${name}`,
        fill: after(`${name}=`, repeated(unit)),
      })),
    ),
  ];
}

/** Headers that are many. */
export function manyHeaders(entry: OperationEntry): { title: string; fill: (size: number) => [string, string][] }[] {
  const declared = entry.parameters.filter((parameter) => parameter.in === "header").map(({ name }) => name);
  const names = ["Accept", "Authorization", "Cookie", "If-None-Match", "X-Other", ...declared];
  const times = (size: number, length: number) => Math.max(1, Math.floor(size / (length + 6)));
  return [
    {
      title: "h0: a, h1: a, …",
      fill: (size) => Array.from({ length: times(size, 4) }, (_, at) => [`h${at.toString(36)}`, "a"]),
    },
    ...names.map((name) => ({
      title: `${name}: a, again and again`,
      fill: (size: number) => Array.from({ length: times(size, name.length) }, (): [string, string] => [name, "a"]),
    })),
  ];
}
