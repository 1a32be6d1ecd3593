import { expect, test } from "vitest";
import { bodyInputs, jsonInputs } from "../src/conformance/cost/body-inputs.ts";
import { counted, nested, pairFillings, repeated } from "../src/conformance/cost/fillings.ts";
import { AUTHORITIES, headerInputs, pathInputs, queryInputs } from "../src/conformance/cost/head-inputs.ts";
import { type OpenApiDocument, type OperationEntry, operationsOf } from "openapi-document";

test("fillings have at most the requested size, but at least one text", () => {
  expect(repeated("ab").fill(7)).toBe("ababab");
  expect(repeated("é").fill(7)).toBe("ééé");
  expect(repeated("abc").fill(1)).toBe("abc");
  const names = counted((count) => `k${count}`, "&");
  expect([1, 6, 9, 10].map(names.fill)).toEqual(["k0", "k0", "k0&k1", "k0&k1&k2"]);
  expect(counted((count) => `k${count};`, "", "(", ")").fill(11)).toBe("(k0;k1;)");
  expect(repeated("x", "ab", "cd").fill(10)).toBe("abxxxxxxcd");
  expect(repeated("x", "ab").fill(6)).toBe("abxxxx");
  expect(repeated("x", "ab", "cd").fill(3)).toBe("abxcd");
  expect(nested("(", "))", "a", "1").fill(8)).toBe("a((1))))");
  expect(nested("(", "))", "a", "1").fill(1)).toBe("a(1))");
});

test("pairFillings returns a name with each form of brackets", () => {
  const fillings = pairFillings("a").slice(-18, -9);
  expect(fillings.map(({ title, fill }) => [title, fill(16)])).toEqual([
    ["a[k0]=1&a[k1]=1&…", "a[k0]=1"],
    ["a[0]=1&a[1]=1&…", "a[0]=1&a[1]=1"],
    ["a[]=1&a[]=1&…", "a[]=1&a[]=1&"],
    ["a[k]=1&a[k]=1&…", "a[k]=1&a[k]=1&"],
    ["a[k0][k]=1&a[k1][k]=1&…", "a[k0][k]=1"],
    ["a[k][k0]=1&a[k][k1]=1&…", "a[k][k0]=1"],
    ["a[k][k]…=1", "a[k][k][k][k]=1"],
    ["a[[…=1", "a[[[[[[[[[[[[[=1"],
    ["a]]…=1", "a]]]]]]]]]]]]]=1"],
  ]);
});

/** Returns a document with one operation at a path, and this operation. */
function entryOf(path: string, operation: object, more: object = {}): [OpenApiDocument, OperationEntry] {
  const document: OpenApiDocument = {
    openapi: "3.1.0",
    paths: { [path]: { post: { operationId: "x", ...operation } } },
    ...more,
  };
  return [document, operationsOf(document)[0]!];
}

const header = (name: string) => ({ in: "header", name, schema: { type: "string" } });

test("headerInputs returns inputs for declared headers and for standard HTTP headers, each once", () => {
  const [, entry] = entryOf("/a", { parameters: [header("X-A"), header("cookie")] });
  const inputs = headerInputs(entry);
  const titles = inputs.map(({ name, title }) => `${name}: ${title}`.toLowerCase());
  expect(titles.filter((title, at) => titles.indexOf(title) !== at)).toEqual([]);
  const names = new Set(inputs.map(({ name }) => name));
  expect([...names].slice(0, 3)).toEqual(["X-A", "cookie", "Accept"]);
  const shown = inputs.flatMap(({ name, title }) => (name === "Prefer" ? title : []));
  for (const text of [" ", "\t", "Bearer ", "1.1.1.1, ", "é", "a", '\\"', "a/b;q=0.1,", ";q=1", "for=1;", "chunked,"])
    expect(shown).toContain(`${text}${text}…`);
  expect(inputs.slice(-3, -1).map(({ name, title, fill }) => [name, title, fill(10)])).toEqual([
    ["Accept", "a/0,a/1,…", "a/0,a/1"],
    ["Cookie", "k0=1;k1=1;…", "k0=1"],
  ]);
});

test("headerInputs returns many headers of 20 bytes each, with their line end", () => {
  const [, entry] = entryOf("/a", { parameters: [header("X-A")] });
  const inputs = headerInputs(entry).filter(({ title }) => /again and again|h0/.test(title));
  expect(inputs.length).toBeGreaterThan(20);
  const tested = inputs.filter(({ name }) => ["X-A", "If-None-Match", "X-Other", "h"].includes(name));
  expect(tested.map(({ name, of = [], fill }) => [of, `${name}: ${fill(45)}`])).toEqual([
    [["header X-A"], `X-A: ${`${"a".repeat(13)}\r\nX-A: `.repeat(2)}`],
    [[], `If-None-Match: ${"aaa\r\nIf-None-Match: ".repeat(2)}`],
    [[], `X-Other: ${`${"a".repeat(9)}\r\nX-Other: `.repeat(2)}`],
    [[], `h: ${"a".repeat(14)}\r\nh0: ${"a".repeat(14)}\r\nh1: `],
  ]);
});

test("bodyInputs returns text of critical characters, and no body for GET and HEAD", () => {
  const content = { "text/*": {} };
  const [document, entry] = entryOf("/a", { requestBody: { content } });
  expect(bodyInputs(document, entry).map(({ title, contentType, fill }) => [title, contentType, fill(4)])).toEqual(
    ["a", " ", "é", "<a>", "<", "{", "\r\n"].map((text) => {
      return [`text/plain ${text}${text}…`, "text/plain", repeated(text).fill(4)];
    }),
  );
  for (const method of ["get", "head"] as const) expect(bodyInputs(document, { ...entry, method })).toEqual([]);
});

test("bodyInputs returns the fields of a form in each form of a query", () => {
  const schema = { type: "object", properties: { a: {} } };
  const [document, entry] = entryOf("/a", {
    requestBody: { content: { "application/x-www-form-urlencoded": { schema } } },
  });
  const inputs = bodyInputs(document, entry).map(({ title, fill }) => [title.split(" ")[1], fill(10)]);
  expect(inputs).toContainEqual(["a=11…", "a=11111111"]);
  expect(inputs).toContainEqual(["a0=1&a1=1&…", "a0=1"]);
  expect(inputs).toContainEqual(["a=1&a=1&…", "a=1&a=1&"]);
  expect(inputs).toContainEqual(["undeclared[0]=1&undeclared[1]=1&…", "undeclared[0]=1"]);
});

test("bodyInputs adds the other fields of the example to a growing JSON field", () => {
  const schema = { type: "object", properties: { a: {}, b: {} } };
  const [document, entry] = entryOf("/a", { requestBody: { content: { "application/json": { schema } } } });
  const input = bodyInputs(document, entry, '{"b":"x"}').find(({ title }) => title === "application/json a: 11…");
  expect(input!.fill(20)).toBe('{"b":"x","a":111111}');
});

test("queryInputs returns inputs for declared names, fields, credentials and undeclared names", () => {
  const schema = { type: "object", properties: { "b c": {} } };
  const security = { key: { type: "apiKey", in: "query", name: "k" } };
  const [document, entry] = entryOf(
    "/a",
    { parameters: [{ in: "query", name: "a", schema }, header("X-A")], security: [{ key: [] }] },
    { components: { securitySchemes: security } },
  );
  const inputs = queryInputs(document, entry).map(({ title, of, fill }) => [title, of, fill(40)]);
  const names: [name: string, of: string[]][] = [
    ["a", ["query a"]],
    ["b%20c", ["query a"]],
    ["k", []],
    ["undeclared", []],
  ];
  for (const [name, of] of names) {
    expect(inputs).toContainEqual([`${name}=%41%41…`, of, `${name}=${"%41".repeat((39 - name.length) / 3)}`]);
    expect(inputs).toContainEqual([`${name}[[…=1`, of, `${name}${"[".repeat(38 - name.length)}=1`]);
    expect(inputs).toContainEqual([`${name}%5B%5B…=1`, of, expect.stringMatching(/(%5B){8}=1$/)]);
  }
  expect(inputs.filter(([title]) => String(title).startsWith("X-A"))).toEqual([]);
  const nesting = "%7B%22a%22%3A".repeat(2);
  expect(inputs).toContainEqual([`a=${nesting}…%7D%7D`, ["query a"], `a=${nesting}1%7D%7D`]);
  expect(inputs.slice(-13).map(([title, , text]) => [title, String(text).slice(0, 12)])).toEqual([
    ["0=1&1=1&…", "0=1&1=1&2=1&"],
    ["%410=1&%411=1&…", "%410=1&%411="],
    ["__proto__[k0]=1&__proto__[k1]=1&…", "__proto__[k0"],
    ...["&", "=", "=&", "&=", "a&", "[]&", "%41&", "a[a]&", "?", "%"].map((text) => {
      return [`${text}${text}…`, repeated(text).fill(40).slice(0, 12)];
    }),
  ]);
});

test("pathInputs returns paths that grow in parameters, in segments of several parts, and at the end", () => {
  const [, entry] = entryOf("/goods/{id}/v{a}.{b}", {});
  const inputs = pathInputs(entry, "/goods/1/v1.1");
  const starts = new Set(inputs.map(({ title }) => title.split(" ", 1)[0]));
  expect([...starts].slice(0, 4)).toEqual(["{id}", "{a}", "{b}", "v{a}.{b}"]);
  expect(inputs.filter(({ title }) => /^\{id\} [?#/\\]/.test(title))).toEqual([]);
  const grown = Object.fromEntries(inputs.map(({ title, of = [], fill }) => [title, [fill(4), ...of]]));
  expect(grown).toMatchObject({
    "{id} aa…": ["/goods/aaaa/v1.1", "path id"],
    "{a} vv…": ["/goods/1/vvvvv.1", "path a"],
    "v{a}.{b} ..…": ["/goods/1/....", "path a", "path b"],
    "/goods/1/v1.1//…": ["/goods/1/v1.1/"],
    "/goods/1/v1.1//a//a…": ["/goods/1/v1.1//a"],
  });
  expect(Object.keys(grown)).toContain("{id} ++…");
  expect(AUTHORITIES.map(({ fill }) => fill(1))).toContain("xn--a");
});

test("jsonInputs returns valid JSON if it is closed, with the fields and items of the schema", () => {
  const schema = {
    type: "object",
    properties: { "a b": { type: "array", items: { type: "object", required: ["long name of it"], properties: {} } } },
  };
  const document = { openapi: "3.1.0", paths: {} } as OpenApiDocument;
  const inputs = jsonInputs(document, schema, { "a b": [], c: [1] });
  const closed = inputs.filter(({ title }) => /^(?:a b: .*|"(.+)\1…"|\[.*\]|\{.*\}|1…|\d+[.e]\d+…\d?)$/.test(title));
  const isJson = (text: string) => {
    try {
      JSON.parse(text);
      return true;
    } catch {
      return false;
    }
  };
  expect(closed.filter(({ fill }) => !isJson(fill(1_200))).map(({ title }) => title)).toEqual([]);
  expect(closed.length).toBeGreaterThan(50);
  const ofField = new Map(inputs.map(({ title, fill }) => [title, fill(60)]));
  expect(ofField.get('a b: [{"long name of it":"x"},{"long name of it":"x"},…{"long name of it":"x"}]')).toBe(
    '{"c":[1],"a b":[{"long name of it":"x"},{"long name of it":"x"}]}',
  );
  expect(ofField.get('a b: [{"k":"0"},{"k":"1"},…]')).toBe('{"c":[1],"a b":[{"k":"0"},{"k":"1"},{"k":"2"},{"k":"3"}]}');
  expect(ofField.get("a b: 1.00…")).toBe(`{"c":[1],"a b":1.${"0".repeat(42)}}`);
  expect(ofField.get('{"a":{"a":…}}')).toBe(`${'{"a":'.repeat(9)}1${"}".repeat(9)}`);
  expect(ofField.get("[[…]]")).toBe("[".repeat(30) + "]".repeat(30));
  expect(ofField.get("0.00…1")).toBe(`0.${"0".repeat(57)}1`);
  expect(ofField.get("1e00…1")).toBe(`1e${"0".repeat(57)}1`);
  expect(ofField.get("1.11…")).toBe(`1.${"1".repeat(58)}`);
  expect(ofField.get('{"\\u0061\\u0061…":0}')).toBe(`{"${"\\u0061".repeat(9)}":0}`);
  expect(inputs.map(({ title }) => title)).not.toContain("[item,…]");
  expect(ofField.get("1000…e-…")).toBe(`1${"0".repeat(50)}e-50`);
  expect(ofField.get("0.000…1e…")).toBe(`0.${"0".repeat(50)}1e51`);
  expect(jsonInputs(document, { type: "array", items: { const: 7 } }, []).at(-1)).toMatchObject({ title: "[item,…]" });
});
