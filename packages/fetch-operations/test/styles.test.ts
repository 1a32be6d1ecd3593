import { describe, expect, test } from "vitest";
import type { OperationDescription } from "../src/operation.ts";
import { createClient, jsonParameter, styled, styledHeader } from "../src/index.ts";
import type { AnyClient } from "./generated-client.ts";
import { api, read } from "./shop.ts";

/** Calls an operation by name or by path, and returns its request as `fetch` gets it. */
async function sentBy(operation: Partial<OperationDescription>, input: unknown, isByPath = false): Promise<object> {
  const sent: object[] = [];
  const fetch = async (request: Request) => {
    const { "content-type": contentType, ...headers } = Object.fromEntries(request.headers);
    const target = request.url.slice("http://shop.test".length);
    sent.push({ target, headers, body: (await request.text()) || undefined, contentType });
    return Response.json(1);
  };
  const own = { ...read, ...operation };
  const { client } = createClient(api, { own }, { baseUrl: "http://shop.test", fetch, userAgent: false });
  const { request, own: byName } = client as Record<"own", AnyClient[string]> & {
    request: (method: string, path: string, init: object) => Promise<object>;
  };
  await (isByPath ? request(own.method, own.path, input as object) : byName(input as object).orThrow());
  return sent[0]!;
}

type Style = Parameters<typeof styled>[0];
const list = ["blue", "black", "brown"];
const object = { R: 100, G: 200, B: 150 };

describe('the style examples of OpenAPI 3.1 (section 4.8.12.6, "Style Examples"):', () => {
  test.each<[style: Style, isExploded: boolean, texts: (string | undefined)[]]>([
    ["matrix", false, [";color=", ";color=blue", ";color=blue,black,brown", ";color=R,100,G,200,B,150"]],
    ["matrix", true, [";color=", ";color=blue", ";color=blue;color=black;color=brown", ";R=100;G=200;B=150"]],
    ["label", false, [".", ".blue", ".blue,black,brown", ".R,100,G,200,B,150"]],
    ["label", true, [".", ".blue", ".blue.black.brown", ".R=100.G=200.B=150"]],
    ["simple", false, ["", "blue", "blue,black,brown", "R,100,G,200,B,150"]],
    ["simple", true, ["", "blue", "blue,black,brown", "R=100,G=200,B=150"]],
    ["form", false, ["color=", "color=blue", "color=blue,black,brown", "color=R,100,G,200,B,150"]],
    ["form", true, ["color=", "color=blue", "color=blue&color=black&color=brown", "R=100&G=200&B=150"]],
    [
      "spaceDelimited",
      false,
      ["color=", "color=blue", "color=blue%20black%20brown", "color=R%20100%20G%20200%20B%20150"],
    ],
    ["spaceDelimited", true, ["color=", "color=blue", "color=blue&color=black&color=brown", undefined]],
    ["pipeDelimited", false, ["color=", "color=blue", "color=blue|black|brown", "color=R|100|G|200|B|150"]],
    ["pipeDelimited", true, ["color=", "color=blue", "color=blue&color=black&color=brown", undefined]],
    ["deepObject", true, [undefined, undefined, undefined, "color[R]=100&color[G]=200&color[B]=150"]],
  ])("%s, exploded: %s", (style, isExploded, texts) => {
    const write = styled(style, isExploded);
    const written = ["", "blue", list, object].map((value) => write("color", value));
    expect(written).toEqual(texts.map((text, index) => text ?? written[index])); // undefined is undefined in the standard
  });
});

describe("a value in a style", () => {
  const at = new Date("2026-01-31T12:00:00.000Z");
  class Money {
    toString() {
      return "5 €";
    }
  }
  test.each<[write: (name: string, value: unknown) => string, value: unknown, text: string]>([
    [styled("form", true), [], ""],
    [styled("form", true), {}, ""],
    [styled("form", false), [null, undefined], ""],
    [styled("form", false), { a: null, b: undefined }, ""],
    [styled("matrix", false), [], ";a%20b="],
    [styled("matrix", false), {}, ";a%20b="],
    [styled("simple", false), [], ""],
    [styled("label", true), {}, "."],
    [styled("form", true), [1, null, 2], "a%20b=1&a%20b=2"],
    [styled("form", false), { x: 1, y: null, z: 0 }, "a%20b=x,1,z,0"],
    [styled("form", true), { "x y": "a&b", z: false }, "x%20y=a%26b&z=false"],
    [styled("form", false), { "x,y": "1,2" }, "a%20b=x%2Cy,1%2C2"],
    [styled("simple", true), { "x=y": "1=2" }, "x%3Dy=1%3D2"],
    [styled("form", true), at, "a%20b=2026-01-31T12%3A00%3A00.000Z"],
    [styled("simple", false), new Money(), "5%20%E2%82%AC"],
    [styled("form", false), Object.assign(Object.create(null), { x: 1 }), "a%20b=x,1"],
    [styled("form", true, true), ":/?[]@$,;=&+#!'()* %", "a%20b=:/?[]@$,;=%26%2B%23!'()*%20%25"],
    [styled("form", true, true), ["a/b", "c"], "a%20b=a/b&a%20b=c"],
    [styled("deepObject", true, true), { x: "a/b" }, "a%20b[x]=a/b"],
    [
      styled("deepObject", true),
      { "x y": [1, null, [2], { z: 3 }], w: { v: at, u: null } },
      "a%20b[x%20y][]=1&a%20b[x%20y][2][]=2&a%20b[x%20y][3][z]=3&a%20b[w][v]=2026-01-31T12%3A00%3A00.000Z",
    ],
    [styledHeader(false), ["a b", null, 5], "a b,5"],
    [styledHeader(true), ["a", "b"], "a,b"],
    [styledHeader(false), { "x y": 1, z: null, w: true }, "x y,1,w,true"],
    [styledHeader(true), { "x y": 1, z: undefined, w: true }, "x y=1,w=true"],
    [styledHeader(true), at, "2026-01-31T12:00:00.000Z"],
    [jsonParameter("query"), { a: [1, "é"] }, "a%20b=%7B%22a%22%3A%5B1%2C%22%C3%A9%22%5D%7D"],
    [jsonParameter("cookie"), [1], "a%20b=%5B1%5D"],
    [jsonParameter("path"), [1], "%5B1%5D"],
    [jsonParameter("header"), { a: [1] }, '{"a":[1]}'],
  ])("%#: %j becomes %s", (write, value, text) => {
    expect(write("a b", value)).toBe(text);
  });

  test.each([
    [styled("form", true), Number.NaN, '"p" is NaN. Pass a finite number.'],
    [styled("simple", true), [1, -Infinity], '"p" is -Infinity. Pass a finite number.'],
    [styled("form", false), { x: {} }, '"p" is an object. Its contract declares a plain value.'],
    [styledHeader(false), [{}], '"p" is an object. Its contract declares a plain value.'],
  ])("%#: %j is refused", (write, value, message) => {
    expect(() => write("p", value)).toThrow(expect.objectContaining({ code: "unsendable_request", message }));
  });
});

describe("arguments by name", () => {
  const styles = { form: styled("form", false), matrix: styled("matrix", true), header: styledHeader(true) };
  test.each<
    [
      operation: Pick<OperationDescription, "parameters" | "hasFields"> & Partial<OperationDescription>,
      input: object | undefined | null,
      parts: object,
    ]
  >([
    [{ parameters: {} }, undefined, { target: "/a" }],
    [{ parameters: {} }, null, { target: "/a" }],
    [
      { path: "/a/{id}", parameters: { id: "path", q: "query" } },
      { id: 1, q: 2, other: 3 },
      { target: "/a/1?q=2&other=3" },
    ],
    [
      { parameters: { q: "query" } },
      { q: ["a b", null, true], r: undefined, s: null, t: [] },
      { target: "/a?q=a%20b&q=true" },
    ],
    [
      { path: "/{x}-{y}/{z}", parameters: { x: "path", y: "path", z: "path" } },
      { x: "a/b", y: ["c", 4], z: 0 },
      { target: "/a%2Fb-c,4/0" },
    ],
    [{ path: "/q?a#b", parameters: {} }, {}, { target: "/q%3Fa%23b" }],
    [
      {
        path: "/{p}",
        parameters: {
          "path.p": { in: "path", name: "p", write: styles.matrix },
          p: { in: "query", write: styles.form },
        },
      },
      { "path.p": [1, 2], p: [3, 4] },
      { target: "/;p=1;p=2?p=3,4" },
    ],
    [
      { parameters: { K: "header", L: { in: "header", write: styles.header } } },
      { K: ["a b", 1], L: { x: 1 }, M: undefined },
      { target: "/a", headers: { k: "a b,1", l: "x=1" } },
    ],
    [
      { parameters: { c: "cookie", d: "cookie", e: "cookie" } },
      { c: ["a b", 1], d: ";", e: null },
      { target: "/a", headers: { cookie: "c=a%20b; c=1; d=%3B" } },
    ],
    [
      { method: "POST", parameters: { body: "body", contentType: "contentType", K: "header" } },
      { body: [1], contentType: "text/plain", K: "k" },
      { target: "/a", headers: { k: "k" }, body: "[1]", contentType: "text/plain" },
    ],
    [
      { method: "POST", path: "/a/{id}", parameters: { id: "path" }, hasFields: true },
      { id: 1, name: "Rex", toString: 2 },
      { target: "/a/1", body: '{"name":"Rex","toString":2}', contentType: "application/json" },
    ],
    [
      { method: "POST", parameters: {}, hasFields: true },
      {},
      { target: "/a", body: "{}", contentType: "application/json" },
    ],
  ])("of %j: %j become parameters and body", async (operation, input, parts) => {
    expect(await sentBy(operation, input)).toEqual({ headers: {}, ...parts });
  });

  test.each<[value: unknown, path: string, message: string]>([
    ["", "/{p}", 'The path parameter "p" is empty.'],
    [undefined, "/{p}", 'The path parameter "p" is undefined.'],
    [null, "/{p}", 'The path parameter "p" is null.'],
    [".", "/{p}/x", 'A path parameter makes the segment "{p}" ".".'],
    ["..", "/{p}", 'A path parameter makes the segment "{p}" "..".'],
    [["."], "/{p}", 'A path parameter makes the segment "{p}" ".".'],
    [[], "/{p}", 'A path parameter makes the segment "{p}" "".'],
    [".", "/.{p}", 'A path parameter makes the segment ".{p}" "..".'],
    [".", "/%2e{p}", 'A path parameter makes the segment "%2e{p}" "%2e.".'],
    [{ toString: () => ".." }, "/{p}", 'A path parameter makes the segment "{p}" "..".'],
    [Number.NaN, "/{p}", '"p" is NaN. Pass a finite number.'],
    [{}, "/{p}", '"p" is an object. Its contract declares a plain value.'],
  ])("the path value %j in %s would lead elsewhere", async (value, path, message) => {
    const error = { code: "unsendable_request", message: `A value of the request cannot be sent. ${message}` };
    await expect(sentBy({ path, parameters: { p: "path" } }, { p: value })).rejects.toMatchObject(error);
  });

  test.each(["...", "%2e%2e", "../pets", "a/..", "\\..", "?", "#", "%", "a.", ".a"])(
    "the path value %j is encoded",
    async (p) => {
      const sent = await sentBy({ path: "/{p}", parameters: { p: "path" } }, { p });
      expect(sent).toMatchObject({ target: `/${encodeURIComponent(p)}` });
    },
  );
});

describe("arguments by path", () => {
  const operation: Partial<OperationDescription> = {
    path: "/{p}/{q}",
    parameters: {
      "path.p": { in: "path", name: "p", write: styled("matrix", false) },
      "query.p": { in: "query", name: "p", write: styled("form", false) },
      q: "path",
      H: { in: "header", write: styledHeader(true) },
      body: "body",
    },
  };
  test.each<[init: object, parts: object]>([
    [
      { params: { path: { p: [1, 2], q: ["a", "b"] }, query: { p: [3, 4], other: [5, 6] } } },
      { target: "/;p=1,2/a,b?p=3,4&other=5&other=6" },
    ],
    [
      { params: { path: { p: 1, q: 2 }, header: { H: { x: 1 }, p: [7, 8], "query.p": 9 }, cookie: { p: [1, 2] } } },
      { target: "/;p=1/2", headers: { h: "x=1", p: "7,8", "query.p": "9", cookie: "p=1; p=2" } },
    ],
    [
      { params: { path: { p: 1, q: 2 }, query: undefined }, body: [], contentType: "text/csv" },
      { target: "/;p=1/2", body: "[]", contentType: "text/csv" },
    ],
  ])("%j are written like those by name", async (init, parts) => {
    const method = "body" in init ? "POST" : "GET";
    expect(await sentBy({ ...operation, method }, init, true)).toEqual({ headers: {}, ...parts });
  });

  test("may be missing, except those of the path", async () => {
    expect(await sentBy(read, {}, true)).toEqual({ target: "/a", headers: {} });
    await expect(sentBy(operation, {}, true)).rejects.toThrow('The path parameter "p" is undefined.');
  });
});
