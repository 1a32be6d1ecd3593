import type { OperationEntry } from "openapi-document";
import { counted, enclosed, type Filling, repeated } from "./fillings.ts";

/** Texts that occur in the lists, parameters, quoted strings, dates and credentials of headers. */
const HEADER_TEXTS = [
  ...' |\t|, |; |a, |a=b; |W/"a", |Bearer |Basic a|1.1.1.1, |\xE9'.split("|"),
  ...'a 1 , ; " \\" = ( % %41 / - . : * \\ a, a; a= a=b; "a "a", a="b", a="\\ a/ a/b, */*, a/b;q=0.1,'.split(" "),
  ...'application/json, application/json;a= application/json;a=" ;charset=utf-8 ;q=1'.split(" "),
  ..."for=1; 0-1, 00- gzip, chunked,".split(" "),
];

/** Headers with a syntax from HTTP, the Fetch standard or common middleware. */
const HEADERS = [
  ..."Accept Accept-Encoding Accept-Language Access-Control-Request-Headers Authorization Content-Encoding".split(" "),
  ..."Content-Type Cookie Forwarded Host If-Match If-Modified-Since If-None-Match Origin Prefer Range".split(" "),
  ..."X-Forwarded-For X-Request-Id traceparent tracestate".split(" "),
];

export function headerInputs(entry: OperationEntry): (Filling & { name: string })[] {
  const declared = declaredHeaders(entry);
  const known = new Set(declared.map(({ name }) => name.toLowerCase()));
  const others = HEADERS.filter((name) => !known.has(name.toLowerCase())).map((name) => ({ name, of: [] }));
  const values = [...declared, ...others].flatMap((header) =>
    HEADER_TEXTS.map((text) => ({ ...header, title: `${header.name}: ${text}${text}…`, fill: repeated(text) })),
  );
  const cookies = entry.parameters.filter((parameter) => parameter.in === "cookie");
  const cookieValues = cookies.flatMap(({ name }) =>
    HEADER_TEXTS.map((text) => ({
      name: "Cookie",
      of: [`cookie ${name}`],
      title: `Cookie: ${name}=${text}${text}…`,
      fill: enclosed(`${name}=`, repeated(text)),
    })),
  );
  return [
    ...values,
    ...cookieValues,
    { name: "Accept", title: "Accept: a/0,a/1,…", fill: counted((count) => `a/${count}`, ",") },
    { name: "Cookie", title: "Cookie: k0=1;k1=1;…", fill: counted((count) => `k${count}=1`, ";") },
  ];
}

/**
 * The size of each header in bytes. Headers of this size reach Node's limit of bytes before its limit of a thousand
 * headers.
 */
const HEADER_BYTES = 20;

/** Returns many headers, different ones or one repeated. */
export function manyHeaders(
  entry: OperationEntry,
): { title: string; of: string[]; headers: (size: number) => [name: string, value: string][] }[] {
  const fill = (size: number, nameOf: (count: number) => string) =>
    Array.from({ length: Math.max(1, Math.floor(size / HEADER_BYTES)) }, (_, count): [string, string] => {
      const name = nameOf(count);
      return [name, "a".repeat(Math.max(1, HEADER_BYTES - ": \r\n".length - name.length))];
    });
  const others = ["Accept", "Authorization", "Cookie", "If-None-Match", "X-Other"].map((name) => ({ name, of: [] }));
  return [
    { title: "h0: a, h1: a, …", of: [], headers: (size) => fill(size, (count) => `h${count}`) },
    ...[...others, ...declaredHeaders(entry)].map(({ name, of }) => ({
      title: `${name}: a, again and again`,
      of,
      headers: (size: number) => fill(size, () => name),
    })),
  ];
}

function declaredHeaders(entry: OperationEntry): { name: string; of: string[] }[] {
  const headers = entry.parameters.filter((parameter) => parameter.in === "header");
  return headers.map(({ name }) => ({ name, of: [`header ${name}`] }));
}
