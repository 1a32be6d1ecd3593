import { METHODS } from "node:http";
import * as fc from "fast-check";
import type { Plain } from "./attempts.ts";
import {
  BAD_UTF8,
  DECISIVE_HEADER_NAMES,
  HEADER_NAMES,
  inUrl,
  jsonText,
  NAMES,
  NESTED_NAMES,
  oddLine,
  oddText,
} from "./odd-values.ts";
import type { WireRequest } from "./wire.ts";

/** A request, and whether it is incomplete, so that no other request can follow it. */
export interface Fuzzed extends WireRequest {
  isBroken: boolean;
}

/** Requests that begin as valid ones with a key, more than half of them with a body, changed in one to four places. */
export function fuzzedRequests(plain: Plain[], key: string): fc.Arbitrary<Fuzzed> {
  const withBodies = plain.filter(({ body }) => body !== undefined);
  const start = fc.oneof(fc.constantFrom(...plain), fc.constantFrom(...withBodies)).map((request): Fuzzed => {
    const { method, target, body, headers } = request;
    return { method, target, body, headers: [["Authorization", `Bearer ${key}`], ...headers], isBroken: false };
  });
  const changes = fc.array(changeOf(), { minLength: 1, maxLength: 4 });
  return fc.tuple(start, changes).map(([request, list]) => list.reduce((changed, change) => change(changed), request));
}

type Change = (request: Fuzzed) => Fuzzed;

function changeOf(): fc.Arbitrary<Change> {
  return fc.oneof(
    { weight: 4, arbitrary: bodyChange() },
    { weight: 4, arbitrary: queryChange() },
    { weight: 2, arbitrary: pathChange() },
    { weight: 5, arbitrary: headerChange() },
    { weight: 1, arbitrary: methodChange() },
    { weight: 1, arbitrary: framingChange() },
  );
}

function queryChange(): fc.Arbitrary<Change> {
  const name = fc.oneof(fc.constantFrom("limit", "status", "cursor", ...NAMES, ...NESTED_NAMES), inUrl());
  const pair = fc.tuple(name, fc.constantFrom("=", "", "=="), inUrl()).map((parts) => parts.join(""));
  const many = fc.tuple(pair, fc.integer({ min: 10, max: 400 })).map(([one, count]) => Array<string>(count).fill(one));
  return fc
    .oneof({ weight: 9, arbitrary: fc.array(pair, { maxLength: 3 }) }, { weight: 1, arbitrary: many })
    .map((pairs): Change => (request) => {
      const separator = request.target.includes("?") ? "&" : "?";
      return { ...request, target: request.target + separator + pairs.join("&") };
    });
}

type PlaceInPath = "last" | "more" | "before" | "all";

function pathChange(): fc.Arbitrary<Change> {
  return fc.tuple(fc.constantFrom<PlaceInPath>("last", "more", "before", "all"), inUrl()).map(([how, text]): Change => {
    const byPlace: Record<PlaceInPath, (target: string) => string> = {
      last: (target) => target.replace(/\/[^/?]*(?=\?|$)/, () => `/${text}`),
      more: (target) => target.replace(/(?=\?|$)/, () => `/${text}`),
      before: (target) => `/${text}${target}`,
      all: () => `/${text}`,
    };
    return (request) => ({ ...request, target: byPlace[how](request.target) });
  });
}

function methodChange(): fc.Arbitrary<Change> {
  return fc.constantFrom(...METHODS, "BREW", "get", "G\0T").map((method): Change => (request) => ({
    ...request,
    method,
  }));
}

function headerChange(): fc.Arbitrary<Change> {
  const name = fc.oneof(
    { weight: 4, arbitrary: fc.constantFrom(...HEADER_NAMES) },
    { weight: 4, arbitrary: fc.constantFrom(...DECISIVE_HEADER_NAMES) },
    {
      weight: 1,
      arbitrary: fc.constantFrom("__proto__", "constructor", "toString", "X-" + "x".repeat(300), "a b", "é"),
    },
  );
  const header = fc.tuple(name, oddLine());
  const add = header.map((added): Change => (request) => ({ ...request, headers: [...request.headers, added] }));
  const replace = header.map((changed): Change => (request) => ({
    ...request,
    headers: [...request.headers.filter(([own]) => own.toLowerCase() !== changed[0].toLowerCase()), changed],
  }));
  const crowd = fc
    .tuple(fc.integer({ min: 50, max: 3_000 }), fc.constantFrom("a", "bb", "Cookie", "X-Request-Id"))
    .map(([count, each]): Change => (request) => ({
      ...request,
      headers: [...request.headers, ...Array.from({ length: count }, (): [string, string] => [each, ""])],
    }));
  return fc.oneof({ weight: 4, arbitrary: add }, { weight: 4, arbitrary: replace }, { weight: 1, arbitrary: crowd });
}

/** Bodies that do not match their headers. A body that is not sent in full makes the request incomplete. */
function framingChange(): fc.Arbitrary<Change> {
  const framed = fc.constantFrom<[string, string][]>(
    [["Content-Length", "100000"]],
    [["Content-Length", "-1"]],
    [["Content-Length", "1e3"]],
    [
      ["Content-Length", "5"],
      ["Content-Length", "6"],
    ],
    [
      ["Content-Length", "5"],
      ["Transfer-Encoding", "chunked"],
    ],
    [["Transfer-Encoding", "chunked"]],
    [["Transfer-Encoding", "gzip, chunked"]],
    [["Transfer-Encoding", "chunked, identity"]],
    [["Transfer-Encoding", "\x0bchunked"]],
  );
  const asItIs = framed.map((framing): Change => (request) => ({
    ...request,
    headers: [...request.headers, ...framing],
    isBroken: true,
  }));
  const chunked = fc.integer({ min: 1, max: 20 }).map((size): Change => (request) => {
    if (request.isBroken || request.headers.some(([name]) => name === "Transfer-Encoding")) return request;
    return {
      ...request,
      headers: [...request.headers, ["Transfer-Encoding", "chunked"]],
      body: chunksOf(request, size),
    };
  });
  return fc.oneof(asItIs, chunked);
}

function chunksOf({ body = "" }: Fuzzed, size: number): Buffer {
  const bytes = Buffer.from(body as string);
  const parts: Buffer[] = [];
  for (let at = 0; at < bytes.length && parts.length < 2_000; at += size) {
    const part = bytes.subarray(at, at + size);
    parts.push(Buffer.from(`${part.length.toString(16)}\r\n`), part, Buffer.from("\r\n"));
  }
  return Buffer.concat([...parts, Buffer.from("0\r\n\r\n")]);
}

function bodyChange(): fc.Arbitrary<Change> {
  return fc.oneof(
    { weight: 6, arbitrary: fieldChange() },
    {
      weight: 3,
      arbitrary: wholeBody().map(
        (body): Change =>
          (request) =>
            withBody(request, body),
      ),
    },
    { weight: 2, arbitrary: spoiltBody() },
  );
}

/** Replaces the body, unless the request has framing headers already. */
function withBody(request: Fuzzed, body: Buffer | string): Fuzzed {
  if (request.headers.some(([name]) => /^(content-length|transfer-encoding)$/i.test(name))) return request;
  return { ...request, body };
}

/** Adds or repeats a field in the text of the object. */
function fieldChange(): fc.Arbitrary<Change> {
  const name = fc.oneof(fc.constantFrom("name", "created_by", "id", ...NAMES), oddText());
  return fc.tuple(name, jsonText(), fc.boolean()).map(([field, value, isFirst]): Change => (request) => {
    if (typeof request.body !== "string") return request;
    const text = `${JSON.stringify(field)}:${value}`;
    const body = isFirst
      ? request.body.replace("{", () => `{${text},`)
      : request.body.replace(/\}$/, () => `,${text}}`);
    return withBody(request, body);
  });
}

function wholeBody(): fc.Arbitrary<string> {
  const deep = fc
    .tuple(fc.constantFrom(["[", "]"], ['{"a":', "}"], ['[{"__proto__":', "}]"]), fc.integer({ min: 1, max: 11_000 }))
    .map(([[open = "", close = ""], depth]) => `${open.repeat(depth)}1${close.repeat(depth)}`);
  const long = fc.constantFrom(65_535, 65_536, 65_537, 100_000).map((length) => `"${"x".repeat(length - 2)}"`);
  const odd = fc.constantFrom(
    "",
    " ",
    "{",
    "}",
    "{}",
    "[]",
    "null",
    "\ufeff{}",
    "{}{}",
    "//",
    "{'a':1}",
    "[1,]",
    "\0",
    '{"a":1e400}',
  );
  return fc.oneof({ weight: 3, arbitrary: jsonText() }, { weight: 2, arbitrary: odd }, deep, {
    weight: 3,
    arbitrary: long,
  });
}

/** Overwrites or inserts bytes in the text, mostly bytes that are not valid UTF-8. */
function spoiltBody(): fc.Arbitrary<Change> {
  const bytes = fc.oneof(
    fc.constantFrom(...BAD_UTF8),
    fc.uint8Array({ minLength: 1, maxLength: 8 }).map((array) => Buffer.from(array)),
  );
  return fc.tuple(bytes, fc.nat(), fc.boolean()).map(([written, place, isOver]): Change => (request) => {
    const body = Buffer.from((request.body ?? "") as string);
    const at = place % (body.length + 1);
    return withBody(
      request,
      Buffer.concat([body.subarray(0, at), written, body.subarray(at + (isOver ? written.length : 0))]),
    );
  });
}
