import { setImmediate } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { bodyTypes, multipart, urlencoded, writeBigJson, writeJson, writeRaw } from "../src/index.ts";
import type { BodyWriter } from "../src/request/body.ts";
import { rejection, shop, type Shop } from "./shop.ts";

/** A server that responds with each request's media type and body, with the boundary of a form as `BOUNDARY`. */
let server: Shop;
beforeAll(async () => {
  server = await shop((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const type = request.headers["content-type"] ?? "none";
      const boundary = /boundary=(.*)/.exec(type)?.[1] ?? "no boundary";
      const text = JSON.stringify([type, Buffer.concat(chunks).toString()]);
      response.writeHead(200, { "Content-Type": "application/json" }).end(text.replaceAll(boundary, "BOUNDARY"));
    });
  });
});
afterAll(() => server[Symbol.asyncDispose]());

async function sent(
  write: BodyWriter | undefined,
  body: unknown,
  contentType?: string,
): Promise<[type: string, body: string]> {
  const parameters = { body: "body", contentType: "contentType" } as const;
  const operation = { method: "POST", parameters, ...(write && { write }) };
  return (await server.call(operation, { body, contentType }).orThrow()) as [string, string];
}

describe("a body arrives as", () => {
  const at = new Date("2026-01-31T12:00:00.000Z");
  const form = "application/x-www-form-urlencoded";
  test.each<[write: BodyWriter | undefined, body: unknown, type: string, text: string, contentType?: string]>([
    [undefined, { a: [1, null, "é"] }, "application/json", '{"a":[1,null,"é"]}'],
    [undefined, null, "application/json", "null"],
    [undefined, undefined, "none", ""],
    [writeJson, [], "application/problem+json", "[]", "application/problem+json"],
    [writeRaw, "text", "application/octet-stream", "text"],
    [writeRaw, new TextEncoder().encode("é"), "text/plain", "é", "text/plain"],
    [writeRaw, new Blob(["b"], { type: "image/gif" }), "image/gif", "b", "image/*"],
    [writeRaw, new Blob(["b"], { type: "image/gif" }), "image/png", "b", "image/png"],
    [
      writeBigJson,
      { a: 9_007_199_254_740_993n, b: ["1n", -5n], c: 2 },
      "application/json",
      '{"a":9007199254740993,"b":["1n",-5],"c":2}',
    ],
    [writeBigJson, [1], "application/vnd.a+json", "[1]", "application/vnd.a+json"],
    [
      urlencoded(),
      { a: "b c&=é", n: 5, t: true, d: at, u: undefined, l: null },
      form,
      "a=b%20c%26%3D%C3%A9&n=5&t=true&d=2026-01-31T12%3A00%3A00.000Z",
    ],
    [urlencoded(), { a: "b" }, `${form}; charset=utf-8`, "a=b", `${form}; charset=utf-8`],
    [
      urlencoded(),
      { "l s": [1, null, [2], { x: [3] }], "o p": { q: { r: 4 } }, e: [] },
      form,
      "l%20s=1&l%20s[2][]=2&l%20s[3][x][]=3&o%20p[q][r]=4",
    ],
    [
      urlencoded({
        f: { style: "form", explode: false },
        s: { style: "spaceDelimited", explode: false },
        r: { style: "form", explode: true, allowReserved: true },
        n: { style: "form", explode: true },
        e: { style: "form", explode: true },
        u: { style: "form", explode: true },
      }),
      { f: ["a", "b,c"], s: [1, 2], r: "a/b", n: null, e: [], u: undefined },
      form,
      "f=a,b%2Cc&s=1%202&r=a/b",
    ],
    [
      urlencoded({
        j: { contentType: "application/json; charset=utf-8" },
        k: { contentType: "application/a+json" },
        l: { contentType: "application/json" },
        t: { contentType: "text/plain" },
        o: { contentType: "application/json" },
      }),
      { j: { a: [1] }, k: null, l: undefined, t: "x", o: "y" },
      form,
      "j=%7B%22a%22%3A%5B1%5D%7D&k=null&t=x&o=%22y%22",
    ],
  ])("%#: %o of %s", async (write, body, type, text, contentType) => {
    expect(await sent(write, body, contentType)).toEqual([type, text]);
  });

  test("integers of JSON, in runtimes without JSON.rawJSON", () => {
    const json = JSON as { rawJSON?: unknown };
    const { rawJSON } = json;
    delete json.rawJSON;
    try {
      const { body } = writeBigJson({ a: [1n, 20n], b: "4" });
      expect(body).toBe('{"a":[1,20],"b":"4"}');
      expect(writeBigJson(["a"]).body).toBe('["a"]');
    } finally {
      json.rawJSON = rawJSON;
    }
  });
});

describe("a multipart form", () => {
  /** Returns the text of a form of parts: the headers and the content of each. */
  const formOf = (...parts: [disposition: string, type: string | undefined, content: string][]) =>
    [
      ...parts.map(([disposition, type, content]) =>
        [
          "--BOUNDARY",
          `Content-Disposition: form-data; ${disposition}`,
          ...(type ? [`Content-Type: ${type}`] : []),
          "",
          content,
        ].join("\r\n"),
      ),
      "--BOUNDARY--\r\n",
    ].join("\r\n");
  const at = new Date("2026-01-31T12:00:00.000Z");
  const bytes = new TextEncoder().encode("é");
  const octets = "application/octet-stream";
  const part = (content: object | string, more: object = {}) => ({ content, ...more });
  const encoding = {
    j: { contentType: "application/json" },
    p: { contentType: "image/png, image/gif" },
    w: { contentType: "image/*" },
    g: { contentType: "image/gif" },
    s: { style: "form", explode: true },
  } as const;

  test.each<[body: Record<string, unknown>, parts: Parameters<typeof formOf>]>([
    [
      { t: "a b\n", n: 5, d: at, u: undefined, l: null },
      [
        ['name="t"', "", "a b\r\n"],
        ['name="n"', "", "5"],
        ['name="d"', "", at.toISOString()],
      ],
    ],
    [
      { l: ["a", null, "b"] },
      [
        ['name="l"', "", "a"],
        ['name="l"', "", "b"],
      ],
    ],
    [
      { o: { x: [1] }, a: [[1, 2]] },
      [
        ['name="o"; filename="blob"', "application/json", '{"x":[1]}'],
        ['name="a"; filename="blob"', "application/json", "[1,2]"],
      ],
    ],
    [{ j: "x" }, [['name="j"; filename="blob"', "application/json", '"x"']]],
    [{ s: "x" }, [['name="s"', "", "x"]]],
    [
      { g: new Blob(["b"]), p: new Blob(["c"], { type: "image/png" }), w: bytes },
      [
        ['name="g"; filename="blob"', "image/gif", "b"],
        ['name="p"; filename="blob"', "image/png", "c"],
        ['name="w"; filename="w"', octets, "é"],
      ],
    ],
    [
      { f: new File(["b"], 'a"b.txt', { type: "text/plain" }) },
      [['name="f"; filename="a%22b.txt"', "text/plain", "b"]],
    ],
    [{ f: bytes }, [['name="f"; filename="f"', octets, "é"]]],
    [{ f: part("c") }, [['name="f"; filename="f"', octets, "c"]]],
    [
      { f: part("c", { filename: "d.csv", contentType: "text/csv" }) },
      [['name="f"; filename="d.csv"', "text/csv", "c"]],
    ],
    [
      { f: part(bytes, { filename: "d" }), g: part(new Blob(["b"], { type: "image/png" })) },
      [
        ['name="f"; filename="d"', octets, "é"],
        ['name="g"; filename="g"', "image/gif", "b"],
      ],
    ],
    [{ f: part({ x: 1 }) }, [['name="f"; filename="blob"', "application/json", '{"content":{"x":1}}']]],
  ])("%# has its parts, also as a stream", async (body, parts) => {
    const [type, text] = await sent(multipart(encoding), body);
    expect([type, text]).toEqual(["multipart/form-data; boundary=BOUNDARY", formOf(...parts)]);
    const stream = { content: new Blob(["z"]).stream(), filename: "z", contentType: "text/plain" };
    const [, streamed] = await sent(multipart(encoding), { ...body, zz: stream });
    const own = parts.map(([disposition, partType, content]): (typeof parts)[number] => [
      // A `FormData` gives JSON a file name; a stream does not.
      partType === "application/json" ? disposition.replace('; filename="blob"', "") : disposition,
      partType,
      content.replaceAll("\r\n", "\n"), // A `FormData` writes line breaks of texts as HTML does.
    ]);
    expect(streamed).toBe(formOf(...own, ['name="zz"; filename="z"', "text/plain", "z"]));
  });

  test("escapes names as HTML does", async () => {
    const [, text] = await sent(multipart(), { 'a"\r\n': new Blob(["z"]).stream() });
    expect(text).toBe(formOf(['name="a%22%0D%0A"; filename="a%22%0D%0A"', octets, "z"]));
  });

  test("ends the stream of a file when the request fails", async () => {
    const cancelled = Promise.withResolvers<unknown>();
    const endless = new ReadableStream<Uint8Array>({
      async pull(controller) {
        await setImmediate();
        controller.enqueue(new Uint8Array(1_000));
      },
      cancel: cancelled.resolve,
    });
    await using closing = await shop((request) => void request.once("data", () => request.socket.destroy()));
    const operation = { method: "POST", parameters: { body: "body" as const }, write: multipart() };
    expect((await closing.call(operation, { body: { f: endless } })).error).toMatchObject({ code: "network_error" });
    await cancelled.promise;
    expect(closing.requests).toHaveLength(1);
  });
});

describe("a body that cannot be written is refused:", () => {
  test.each<[write: BodyWriter, body: unknown, contentType: string | undefined, message: string]>([
    [
      bodyTypes({ "text/csv": writeRaw, "text/plain": writeRaw }),
      "a",
      "toString",
      "The operation takes no body of type toString. Pass one of text/csv, text/plain.",
    ],
    [writeRaw, "a", "image/*", "The body has no media type. Pass a Blob with a type of image/*."],
    [writeRaw, new Blob(["a"]), "*/*", "The body has no media type. Pass a Blob with a type of */*."],
    [urlencoded(), { a: [Number.NaN] }, undefined, '"a" is NaN. Pass a finite number.'],
    [multipart(), { a: Infinity }, undefined, '"a" is Infinity. Pass a finite number.'],
  ])("%#", async (write, body, contentType, message) => {
    const error = await rejection(sent(write, body, contentType));
    expect(error).toMatchObject({
      code: "unsendable_request",
      message: `A value of the request cannot be sent. ${message}`,
    });
  });

  test("and one of several media types has the first by default", async () => {
    const write = bodyTypes({ "text/csv": writeRaw, "text/plain": writeRaw });
    expect(await sent(write, "a")).toEqual(["text/csv", "a"]);
    expect(await sent(write, "a", "text/plain")).toEqual(["text/plain", "a"]);
  });
});
