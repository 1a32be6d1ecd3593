import { SERVICE } from "@openapi-operations/command-line/name";
import * as fc from "fast-check";

const NUMBERS = [
  "0",
  "-0",
  "-1",
  "5.0",
  "1e1",
  "1e400",
  "-1e400",
  "1e-400",
  "0x10",
  "05",
  "+5",
  " 5",
  "101",
  "9007199254740991",
  "9007199254740993",
  "-9223372036854775809",
  "9".repeat(400),
  `0.${"1".repeat(4_000)}`,
  "NaN",
  "Infinity",
  "\u0663",
];
const TEXTS = [
  "",
  " ",
  "\0",
  "a\0b",
  "\u007f",
  "\u0085",
  "\u202e",
  "\ufeff",
  "\u{1F415}",
  "e\u0301",
  "x".repeat(255),
  "x".repeat(256),
  "x".repeat(4_000),
  "../../etc/passwd",
  "<script>alert(1)</script>",
  "' or 1=1 --",
  "${7*7}{{7*7}}",
  "%s%n%x",
  "null",
  "undefined",
  "[object Object]",
  "available",
  `${SERVICE.keyPrefix}_test_${"0".repeat(49)}`,
];
export const NAMES = [
  "__proto__",
  "constructor",
  "prototype",
  "toString",
  "hasOwnProperty",
  "valueOf",
  "then",
  "length",
  "",
];
export const NESTED_NAMES = [
  "__proto__[a]",
  "constructor[prototype][a]",
  "limit[]",
  "limit[0]",
  "limit[a][b]",
  "limit.a",
  "LIMIT",
];
const PERCENT = [
  "%",
  "%%",
  "%z",
  "%00",
  "%0d%0aX:%20y",
  "%ff",
  "%c0%af",
  "%ed%a0%80",
  "%f4%90%80%80",
  "%E2%82",
  "%u0041",
  "%25",
  "%2525",
  "%2e%2e%2f",
  "%2F",
  "%5c",
  "%3F",
  "%23",
  "%20",
  "+",
];
/** The headers whose value alone can cause a rejection, each with its own status. */
export const DECISIVE_HEADER_NAMES = ["Accept", "Authorization", "Content-Encoding", "Content-Type", "Expect"];
export const HEADER_NAMES = [
  ...DECISIVE_HEADER_NAMES,
  "Accept-Encoding",
  "Cookie",
  "Forwarded",
  "Host",
  "Idempotency-Key",
  "If-Match",
  "If-None-Match",
  "Origin",
  "Range",
  "TE",
  "traceparent",
  "tracestate",
  "Upgrade",
  "X-HTTP-Method-Override",
  "X-Request-Id",
];
const HEADER_VALUES = [
  "*/*",
  "text/html",
  "application/json",
  "application/json; charset=utf-8",
  "application/json; charset=utf-16",
  "application/json;".padEnd(8_000),
  `${"a/b,".repeat(500)}*/*;q=0`,
  "application/xml",
  "multipart/form-data; boundary=x",
  "gzip",
  "100-continue",
  "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
  "00-ffffffffffffffffffffffffffffffff-0000000000000000-ff",
  "bytes=0-0,-1",
  "Bearer",
  "Basic Og==",
  "\xff\xfe",
];

/** Bytes that are not valid UTF-8: https://www.rfc-editor.org/rfc/rfc3629#section-10 */
export const BAD_UTF8 = [[0xff], [0xc0, 0xaf], [0xed, 0xa0, 0x80], [0xf4, 0x90, 0x80, 0x80], [0xe2, 0x82], [0x80]].map(
  (bytes) => Buffer.from(bytes),
);

export function oddText(): fc.Arbitrary<string> {
  return fc.oneof(
    fc.constantFrom(...TEXTS),
    fc.constantFrom(...NUMBERS),
    fc.string({ unit: anyCharacter(), maxLength: 40 }),
  );
}

/** Replaces fast-check's own unit of all characters, which takes seconds to create. */
function anyCharacter(): fc.Arbitrary<string> {
  return fc.nat({ max: 0x10ffff }).map((code) => String.fromCodePoint(code));
}

/** Any bytes except NUL and the line ends, which would begin another header. */
export function oddLine(): fc.Arbitrary<string> {
  const byte = fc.integer({ min: 1, max: 255 }).filter((code) => code !== 10 && code !== 13);
  const line = fc.array(byte, { maxLength: 60 }).map((bytes) => Buffer.from(bytes).toString("latin1"));
  return fc.oneof(fc.constantFrom(...HEADER_VALUES), fc.constantFrom(...NUMBERS, ...PERCENT), line);
}

export function inUrl(): fc.Arbitrary<string> {
  return fc.oneof(
    oddText().map((text) => encodeURIComponent(text.toWellFormed())),
    fc.constantFrom(...PERCENT),
    fc.constantFrom("é", "\x01", "a b", "<>", "a=b", "a&&b", "[]", "\\", "|", '"', "#x", ";"),
  );
}

export function jsonText(): fc.Arbitrary<string> {
  return fc.oneof(
    oddText().map((text) => JSON.stringify(text)),
    fc.constantFrom(...NUMBERS),
    fc.constantFrom(
      '"\\ud800"',
      '"\\udc00\\ud800"',
      '"\\u0000"',
      '"a\\u0000b"',
      '"\\x41"',
      '"\\',
      "null",
      "true",
      "[]",
      "{}",
    ),
    fc.json({ maxDepth: 4 }),
  );
}
