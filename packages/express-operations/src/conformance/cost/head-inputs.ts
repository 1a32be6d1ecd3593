import {
  apiKeyParameters,
  effectiveSchema,
  type OpenApiDocument,
  type OperationEntry,
  parameterNames,
  propertiesOf,
} from "openapi-document";
import { counted, type Filling, pairFillings, repeated, URL_TEXTS } from "./fillings.ts";

export function queryInputs(document: OpenApiDocument, entry: OperationEntry): Filling[] {
  const names = parametersIn(entry, "query").flatMap(({ name, schema, of }) =>
    [name, ...Object.keys(propertiesOf(effectiveSchema(document, schema)))].map((own) => ({ name: own, of })),
  );
  const others = [...apiKeyParameters(document, entry), "undeclared"].map((name) => ({ name, of: [] }));
  return [
    ...[...names, ...others].flatMap(({ name, of }) =>
      pairFillings(encodeURIComponent(name)).map((filling) => ({ ...filling, of })),
    ),
    ...["", "%41"].map((start) => counted((count) => `${start}${count}=1`, "&")),
    counted((count) => `__proto__[k${count}]=1`, "&"),
    ...["&", "=", "=&", "&=", "a&", "[]&", "%41&", "a[a]&", "?", "%"].map((text) => repeated(text)),
  ];
}

/** Large texts for the host of a request target in absolute form. */
export const AUTHORITIES = ["a", ".", "a.", "1.", ":", "@", "%41", "[", "xn--a", "-", "_"].map((text) =>
  repeated(text),
);

/** Returns paths that grow in a parameter, in a segment of several parts, and at the end. */
export function pathInputs({ path }: OperationEntry, example: string): Filling[] {
  const literals = path.split(/\{[^}]+\}|\//).filter((text) => text !== "");
  const texts = [...new Set([...URL_TEXTS.filter((text) => !/[?#/\\]/.test(text)), ...literals])];
  const mixed = path.split("/").filter((segment) => segment.includes("{") && !/^\{[^}]+\}$/.test(segment));
  const filled = (template: string) => template.replaceAll(/\{[^}]+\}/g, "1");
  return [
    ...[...parameterNames(path).map((name) => `{${name}}`), ...mixed].flatMap((place) =>
      texts.map((text): Filling => {
        const { title, fill } = repeated(text);
        const of = parameterNames(place).map((name) => `path ${name}`);
        return { title: `${place} ${title}`, of, fill: (size) => path.split(place).map(filled).join(fill(size)) };
      }),
    ),
    ...["/", "/a", "/.", "/..", "/%2F", "/a;a", "/%41", "//a"].map((text) => repeated(text, example)),
  ];
}

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

/** The bytes of each header, with which a head reaches Node's limit of bytes before its limit of a thousand headers. */
const HEADER_BYTES = 20;

/** Returns large values of declared headers and cookies, and of standard headers, and many headers of one name or of several. */
export function headerInputs(entry: OperationEntry): (Filling & { name: string })[] {
  const declared = parametersIn(entry, "header");
  const known = new Set(declared.map(({ name }) => name.toLowerCase()));
  const others = HEADERS.filter((name) => !known.has(name.toLowerCase())).map((name) => ({ name, of: [] }));
  const cookies = parametersIn(entry, "cookie").map(({ name, of }) => ({ name: "Cookie", of, start: `${name}=` }));
  const line = (name: string) =>
    `${"a".repeat(Math.max(1, HEADER_BYTES - ": \r\n".length - name.length))}\r\n${name}: `;
  const again = [...declared, ...others, { name: "X-Other", of: [] }];
  return [
    ...[...declared, ...others, ...cookies].flatMap(({ name, of, ...more }) =>
      HEADER_TEXTS.map((text) => ({ name, of, ...repeated(text, "start" in more ? more.start : "") })),
    ),
    ...again.map(({ name, of }) => ({ name, of, ...repeated(line(name)), title: "a, again and again" })),
    { name: "Accept", ...counted((count) => `a/${count}`, ",") },
    { name: "Cookie", ...counted((count) => `k${count}=1`, ";") },
    { name: "h", ...counted((count) => line(`h${count}`)), title: "a, h0: a, h1: a, …" },
  ];
}

/** Returns the parameters of a place, each with the part of the request that its schema validates. */
function parametersIn({ parameters }: OperationEntry, place: "query" | "header" | "cookie") {
  return parameters.filter((own) => own.in === place).map((own) => ({ ...own, of: [`${place} ${own.name}`] }));
}
