import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { jsonOf, parseJson } from "../src/request/json.ts";

describe("parseJson", () => {
  test("reads the output of JSON.stringify, even after white space, which is read character by character", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const text = JSON.stringify(value);
        expect(parseJson(text)).toEqual(JSON.parse(text));
        expect(parseJson(` ${text}`)).toEqual(JSON.parse(text));
      }),
    );
  });

  test("accepts or rejects a text equally with and without white space before it", () => {
    const scalar = fc.oneof(
      fc.constantFrom("9007199254740993", "1e400", "1.0", "-0", '"\\ud800"', '"a"'),
      fc.jsonValue({ maxDepth: 0 }).map((value) => JSON.stringify(value)),
    );
    const { text } = fc.letrec<{ text: string }>((tie) => ({
      text: fc.oneof(
        { maxDepth: 4 },
        scalar,
        fc.array(tie("text"), { maxLength: 3 }).map((items) => `[${items.join()}]`),
        fc
          .array(fc.tuple(fc.constantFrom('"a"', '"b"', '"1"', '"__proto__"', '"\\u0061"'), tie("text")), {
            maxLength: 3,
          })
          .map((members) => `{${members.map((member) => member.join(":")).join()}}`),
      ),
    }));
    fc.assert(
      fc.property(text, (json) => {
        expect(readable(json)).toBe(readable(` ${json}`));
      }),
      { numRuns: 2_000 },
    );
  });

  test.each([
    "0",
    "-0",
    "1.0",
    "10e-1",
    "1e3",
    "9007199254740991",
    "9007199254740992",
    "1e20",
    "1.5",
    "0.1",
    "0.12345678901234567890",
    "1e300",
    "-1E+2",
    "0e99999",
    "100000000000000000000",
    "2251799813685249.5000000001",
  ])("reads %s", (text) => expect(parseJson(text)).toBe(JSON.parse(text)));

  test.each([
    "9007199254740993",
    "-9007199254740993",
    "1.00000000000000000001",
    "9007199254740991.4",
    "12345678901234567890.0",
    "1e400",
    "1e-400",
  ])("rejects %s, because a double changes it", (text) =>
    expect(() => parseJson(`[${text}]`)).toThrow("contains a number that cannot be represented exactly"),
  );

  test("reads an integer literal only if a double holds it exactly or JSON.stringify writes it unchanged", () => {
    fc.assert(
      fc.property(fc.bigInt({ min: -(2n ** 70n), max: 2n ** 70n }), (integer) => {
        const isHeld = BigInt(Number(integer)) === integer || String(Number(integer)) === String(integer);
        expect(readable(String(integer))).toBe(isHeld);
        expect(readable(`${integer}.00`)).toBe(isHeld);
      }),
    );
  });

  test.each(['{"a":1,"a":1}', '{"a":1,"\\u0061":2}', '[{"b":{"a":1,"b":{},"a":2}}]', '{"":1,"":2}'])(
    "rejects a duplicate name: %s",
    (text) => expect(() => parseJson(text)).toThrow(/contains (a field|field ".*") twice/),
  );

  test("accepts the same name in different objects, and text that looks like a name", () => {
    for (const text of [
      '[{"a":1},{"a":2}]',
      '{"a":{"a":{"a":1}}}',
      '{"a":"b","b":"a\\":\\"a"}',
      '{"a":["a","a"],"b":"{\\"a\\":1,\\"a\\":2}"}',
    ]) {
      expect(parseJson(text)).toEqual(JSON.parse(text));
      expect(parseJson(` ${text}`)).toEqual(JSON.parse(text));
    }
  });

  test.each(['"\\ud800"', '"a\\uDFFFb"', '["\\ude00\\ud83d"]', '{"\\uD800":1}', '"\\\\\\ud800"'])(
    "rejects the lone surrogate in %s",
    (text) => expect(() => parseJson(text)).toThrow("contains half of a character (a lone surrogate)"),
  );

  test("names the field of an inexact number, even after nested values", () => {
    const message = /^contains a number in field "a" that cannot be represented exactly/;
    for (const text of ['{"a":1e400}', '{"b":{"c":1},"a":[1,{"d":2},1e400]}', '{"a":[[{"e":[]}],1e400]}'])
      expect(() => parseJson(text)).toThrow(message);
    expect(() => parseJson('{"a b":1e400}')).toThrow(/^contains a number that cannot/);
  });

  test("jsonOf returns the value of valid JSON, and reports losses only for it", () => {
    expect(["{", "", "x", '{"a":1}'].map(jsonOf)).toEqual([undefined, undefined, undefined, { a: 1 }]);
    expect(() => jsonOf('{"a":1,"a":2}')).toThrow('contains field "a" twice. Give it once');
  });

  test("names the field of a lone surrogate if the name is a plain word", () => {
    expect(() => parseJson('{"a":[{"name":["\\ud800"]}]}')).toThrow(/\(a lone surrogate\) in field "name"\. /);
    expect(() => parseJson('{"a b":"\\ud800"}')).toThrow(/\(a lone surrogate\)\. /);
    expect(() => parseJson('["\\ud800"]')).toThrow(/\(a lone surrogate\)\. /);
  });

  test.each(['"\\ud83d\\ude00"', '"\\\\ud800"', '"\\ud7ff\\ue000"', '"\u{1f600}"'])("reads %s", (text) =>
    expect(parseJson(text)).toBe(JSON.parse(text)),
  );

  test("rejects deep nesting and text that is not JSON, without repeating the text", () => {
    expect(() => parseJson("[".repeat(101) + "]".repeat(101))).toThrow("nests deeper than the 100 levels allowed");
    expect(parseJson("[".repeat(100) + "]".repeat(100))).toBeInstanceOf(Array);
    for (const text of ["", "{", "nope", "[1,]", "{'a':1}", "01", "1 2", "\u00a01", '"\n"']) {
      expect(() => parseJson(text)).toThrow(/^is not valid JSON\. Check/);
    }
  });
});

function readable(text: string): boolean {
  try {
    parseJson(text);
    return true;
  } catch {
    return false;
  }
}

describe("integers with an exponent or a fraction", () => {
  test.each([
    ["1e15", 1e15],
    ["1E+15", 1e15],
    ["1.5000000000000e15", 1.5e15],
    ["-1.500000000000000e15", -1.5e15],
    ["100000000000000000e-2", 1e15],
    ["1000000000000000.0", 1e15],
    ["9007199254740991.00", 9007199254740991],
    ["9.007199254740991e15", 9007199254740991],
    ["0.000000000000000000", 0],
    ["1e22", 1e22],
  ])("%s is accepted", (text, value) => {
    expect(parseJson(text)).toBe(value);
    expect(parseJson(`{"a":[${text}]}`)).toEqual({ a: [value] });
  });

  test.each([
    "9.0071992547409911e15",
    "4503599627370497.25",
    "1000000000000000.01",
    "0.99999999999999999999",
    "100000000000000000000001e-8",
    "1e-400",
    "-1e-400",
    "0.0000000000000000001e-400",
    "1e309",
    "-1e309",
    "9007199254740993",
  ])("%s is rejected, because a double changes it", (text) => {
    expect(() => parseJson(text)).toThrow("contains a number");
    expect(() => parseJson(`[0,${text}]`)).toThrow("contains a number");
  });
});
