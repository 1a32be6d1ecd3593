import { once } from "node:events";
import type { Socket } from "node:net";
import { buffer, text } from "node:stream/consumers";
import { describe, expect, test } from "vitest";
import type { FilePart, Problem } from "../src/index.ts";
import { formOf, post, serveUpload, type UploadInput } from "./uploads.ts";

const file = { type: "string", format: "binary" };
const form = {
  type: "object",
  required: ["title"],
  properties: {
    title: { type: "string", maxLength: 5 },
    age: { type: "integer" },
    tags: { type: "array", items: { type: "string", maxLength: 3 }, maxItems: 2 },
    owner: {
      type: "object",
      required: ["name"],
      properties: { name: { type: "string" }, age: { type: "integer", default: 7 } },
    },
    either: { oneOf: [{ type: "string" }, { type: "array", items: { type: "string" } }] },
    photo: file,
    photos: { type: "array", items: file },
  },
  additionalProperties: false,
};

/** Returns all parts, with the bytes of files as text. */
async function collect({ parts }: UploadInput) {
  const body: unknown[] = [];
  for await (const { stream, ...part } of parts)
    body.push(stream === undefined ? part : { ...part, text: await text(stream) });
  return { status: 200, body };
}

describe("the parts of a form", () => {
  test("arrive in order, files as streams and values with their types", async () => {
    const server = await serveUpload(collect, { form });
    const sent = formOf(
      ["age", "12"],
      ["photo", new Blob(["bytes"], { type: "image/png" }), "a.png"],
      ["title", "Hi"],
      ["owner", '{"name":"Ada"}'],
      ["tags", "a"],
      ["photos", new Blob(["1"])],
      ["photos[]", new Blob(["2"])],
      ["photos[0]", new Blob(["3"])],
      ["tags[]", "b"],
    );
    expect(await post(server, sent)).toEqual({
      status: 200,
      json: [
        { field: "age", contentType: "text/plain", value: 12 },
        { field: "photo", name: "a.png", contentType: "image/png", text: "bytes" },
        { field: "title", contentType: "text/plain", value: "Hi" },
        { field: "owner", contentType: "text/plain", value: { name: "Ada", age: 7 } },
        { field: "tags", contentType: "text/plain", value: "a" },
        { field: "photos", name: "blob", contentType: "application/octet-stream", text: "1" },
        { field: "photos", name: "blob", contentType: "application/octet-stream", text: "2" },
        { field: "photos", name: "blob", contentType: "application/octet-stream", text: "3" },
        { field: "tags", contentType: "text/plain", value: "b" },
      ],
    });
  });

  test("reach the handler before the client has sent the rest", async () => {
    const seen: string[] = [];
    const reached = Promise.withResolvers<void>();
    const server = await serveUpload(
      async ({ parts }) => {
        for await (const { field, stream } of parts) {
          seen.push(field);
          if (stream === undefined) continue;
          for await (const chunk of stream as AsyncIterable<Buffer>) {
            seen.push(chunk.toString());
            reached.resolve();
          }
        }
        return { status: 200, body: seen };
      },
      { form },
    );
    const socket = server.open(`${head(1_000)}${textPart("title", "Hi")}${filePart("photo", "abc").slice(0, -2)}`);
    socket.write("d".repeat(100)); // busboy holds back what may be a boundary
    await reached.promise;
    expect(seen.slice(0, 2)).toEqual(["title", "photo"]);
    socket.destroy();
  });

  test("of a file input without a file do not arrive, and do not count as given", async () => {
    const server = await serveUpload(collect, { form });
    const sent = `${unnamedPart("photo", "")}${textPart("title", "Hi")}${unnamedPart("photos", "")}${unnamedPart("photo", "x")}--B--`;
    expect(await post(server, sent, "multipart/form-data; boundary=B")).toEqual({
      status: 200,
      json: [
        { field: "title", contentType: "text/plain", value: "Hi" },
        { field: "photo", name: "", contentType: "application/octet-stream", text: "x" },
      ],
    });
  });

  test("of fields in brackets arrive whole, at the end", async () => {
    const server = await serveUpload(collect, { form });
    const sent = formOf(
      ["owner[name]", "Ada"],
      ["title", "Hi"],
      ["owner[age]", "3"],
      ["tags[0]", "a"],
      ["tags[1]", "b"],
    );
    expect((await post(server, sent)).json).toEqual([
      { field: "title", contentType: "text/plain", value: "Hi" },
      { field: "tags", contentType: "text/plain", value: "a" },
      { field: "tags", contentType: "text/plain", value: "b" },
      { field: "owner", contentType: "text/plain", value: { name: "Ada", age: 3 } },
    ]);
  });

  test("are JSON where the encoding says so, even if they have a file name", async () => {
    const encoding = { note: { contentType: "application/json" } };
    const note = { type: ["string", "number"] };
    const server = await serveUpload(collect, {
      form: { properties: { note, owner: form.properties.owner } },
      encoding,
    });
    const json = (value: string) => new Blob([value], { type: "application/json" });
    expect((await post(server, formOf(["note", '"12"'], ["owner", json('{"name":"Ada"}'), "o.json"]))).json).toEqual([
      { field: "note", contentType: "text/plain", value: "12" },
      { field: "owner", contentType: "application/json", value: { name: "Ada", age: 7 } },
    ]);
    expect(await post(server, formOf(["note", '"12']))).toMatchObject({ status: 400 });
  });

  test("of undeclared fields arrive if the form allows them", async () => {
    const open = { properties: { title: { type: "string" } }, additionalProperties: { type: "integer" } };
    const server = await serveUpload(collect, { form: open });
    expect((await post(server, formOf(["other", "5"]))).json).toEqual([
      { field: "other", contentType: "text/plain", value: 5 },
    ]);
    expect(await post(server, formOf(["other", "x"]))).toMatchObject({ status: 400 });
    const anything = await serveUpload(collect);
    expect((await post(anything, formOf(["a", "x"], ["b", new Blob(["1"]), "f"]))).json).toMatchObject([
      { field: "a", value: "x" },
      { field: "b", name: "f", text: "1" },
    ]);
  });

  test.each<[string, [string, string | Blob][], string]>([
    ["a field that is no integer", [["age", "x"]], 'Body field "age" must be an integer.'],
    ["a text that is too long", [["title", "too long"]], 'Body field "title" must have at most 5 characters.'],
    ["an item of a list that is too long", [["tags", "long"]], 'Body field "tags" must have at most 3 characters.'],
    ["JSON with a missing field", [["owner", "{}"]], 'Body field "owner.name" is required.'],
    [
      "an undeclared field",
      [["other", "x"]],
      'Body field "other" is not known. The fields are: title, age, tags, owner, either, photo, photos.',
    ],
    [
      "an undeclared file",
      [["other", new Blob(["x"])]],
      'Body field "other" is not known. The fields are: title, age, tags, owner, either, photo, photos.',
    ],
    ["text in a file field", [["photo", "x"]], 'Body field "photo" must be a file. Give its part a file name.'],
    [
      "a text that busboy may have changed",
      [["title", "\uFFFD"]],
      'Body field "title" is not valid UTF-8. Encode it as UTF-8.',
    ],
    [
      "a value given twice",
      [
        ["title", "a"],
        ["title", "b"],
      ],
      'Body field "title" is given twice. Give it once.',
    ],
    [
      "a file given twice",
      [
        ["photo", new Blob(["a"])],
        ["photo", new Blob(["b"])],
      ],
      'Body field "photo" is given twice. Give it once.',
    ],
  ])("end with a 400 at %s, before the rest has arrived", async (_title, fields, message) => {
    let seen = 0;
    const server = await serveUpload(
      async ({ parts }) => {
        for await (const _part of parts) seen++;
        return { status: 200 };
      },
      { form },
    );
    const sent = await Promise.all(
      fields.map(async ([name, value]) =>
        typeof value === "string" ? textPart(name, value) : filePart(name, await value.text()),
      ),
    );
    const socket = server.open(`${head(60_000)}${sent.join("")}--B\r\n`);
    expect(await answerTo(socket)).toEqual([400, message]);
    expect(seen).toBe(fields.length - 1);
    expect(server.errors).toEqual([]);
  });

  test.each<[string, [string, string | Blob][], string]>([
    ["a missing field", [["age", "1"]], 'Body field "title" is required.'],
    [
      "too many items",
      [
        ["title", "a"],
        ["tags", "a"],
        ["tags", "b"],
        ["tags", "c"],
      ],
      'Body field "tags" must have at most 2 items.',
    ],
    [
      "a field both whole and in parts",
      [
        ["title", "a"],
        ["owner", '{"name":"Ada"}'],
        ["owner[age]", "1"],
      ],
      'Body field "owner" is given both as a whole and in parts. Give it once.',
    ],
  ])("end with a 400 for %s, after the last part", async (_title, fields, message) => {
    let seen = 0;
    const server = await serveUpload(
      async ({ parts }) => {
        for await (const _part of parts) seen++;
        return { status: 200 };
      },
      { form },
    );
    expect(await post(server, formOf(...fields))).toMatchObject({ status: 400, json: { message } });
    expect(seen).toBe(fields.filter(([name]) => !name.includes("[")).length);
  });

  test.each([
    ["unevaluatedProperties", { properties: { a: {} }, unevaluatedProperties: false }, 'Body field "x" is not known.'],
    ["patternProperties", { patternProperties: { "^x": { type: "integer" } } }, 'Body field "x" must be an integer.'],
  ])("are validated by %s before the rest has arrived", async (_title, schema, message) => {
    const server = await serveUpload(collect, { form: { type: "object", ...schema } });
    const [status, got] = await answerTo(server.open(`${head(60_000)}${textPart("x", "y")}--B\r\n`));
    expect([status, got.slice(0, message.length)]).toEqual([400, message]);
  });

  test("lead to a 400 if the handler rejects with an error with this cause", async () => {
    const server = await serveUpload(
      (input) => collect(input).catch((cause: unknown) => Promise.reject(new Error("no", { cause }))),
      { form },
    );
    expect((await post(server, formOf(["age", "x"]))).status).toBe(400);
    expect(server.errors).toEqual([]);
  });

  test("may be rejected by the handler's own response", async () => {
    const server = await serveUpload(
      async (input) => collect(input).catch((error: Problem) => ({ status: 200, body: error.message })),
      { form },
    );
    expect((await post(server, formOf(["age", "1"]))).json).toBe('Body field "title" is required.');
  });

  test("must have one of the media types of their encoding, if they are files", async () => {
    const encoding = { photo: { contentType: "image/png, image/x-*, text/*" } };
    const server = await serveUpload(collect, { form: { properties: { photo: file } }, encoding });
    const send = (type: string) => post(server, formOf(["photo", new Blob(["x"], { type }), "f"]));
    expect([(await send("image/png")).status, (await send("text/css")).status]).toEqual([200, 200]);
    expect(await send("image/jpeg")).toMatchObject({
      status: 400,
      json: { message: 'Body field "photo" must be a file of one of: image/png, image/x-*, text/*.' },
    });
  });
});

describe("a file", () => {
  test("that the handler skips is dropped", async () => {
    const big = new Blob(["x".repeat(300_000)]);
    const server = await serveUpload(
      async ({ parts }) => {
        const fields: string[] = [];
        for await (const { field } of parts) fields.push(field);
        return { status: 200, body: fields };
      },
      { form, limits: { bodyLimit: 1e6 } },
    );
    expect((await post(server, formOf(["photo", big], ["photos", big], ["title", "a"]))).json).toEqual([
      "photo",
      "photos",
      "title",
    ]);
  });

  test.each([10, 300_000])("of %d bytes cannot be read after its turn", async (length) => {
    const server = await serveUpload(
      async ({ parts }) => {
        const files: FilePart[] = [];
        for await (const part of parts) if (part.stream) files.push(part);
        await buffer(files[0]!.stream);
        return { status: 200 };
      },
      { limits: { bodyLimit: 1e6 } },
    );
    await post(server, formOf(["a", new Blob(["x".repeat(length)]), "f"], ["b", "x"]));
    expect(server.errors.map(({ message }) => message)).toEqual([
      'The file of "a" was left for the next part. Read it to its end first.',
    ]);
  });

  test("is not read from the connection while the handler does not read", async () => {
    const stalled = Promise.withResolvers<void>();
    const server = await serveUpload(
      async ({ parts }) => {
        for await (const { stream } of parts) {
          await once(stream!, "readable");
          await stalled.promise;
        }
        return { status: 200 };
      },
      { limits: { bodyLimit: Infinity } },
    );
    const socket = server.open(`${head(2 ** 40)}${filePart("f", "").slice(0, -2)}`);
    const before = process.memoryUsage().arrayBuffers;
    const chunk = Buffer.alloc(65_536);
    let written = 0;
    for (;;) {
      written += chunk.length;
      if (socket.write(chunk)) continue;
      const drained = once(socket, "drain", { signal: AbortSignal.timeout(300) });
      const isDrained = await drained.then(
        () => true,
        () => false,
      );
      if (!isDrained) break;
    }
    expect(written).toBeLessThan(32 * 1024 ** 2);
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(2 * 1024 ** 2);
    socket.destroy();
    stalled.resolve();
    await expect.poll(() => new Promise((done) => server.server.getConnections((_, count) => done(count)))).toBe(0);
    expect(server.errors).toEqual([]);
  });

  test("that breaks off fails with a 400, which is no error of the server", async () => {
    const failed = Promise.withResolvers<unknown>();
    const server = await serveUpload(async ({ parts }) => {
      for await (const { stream } of parts)
        await buffer(stream!).catch((error: unknown) => (failed.resolve(error), Promise.reject(error)));
      return { status: 200 };
    });
    const socket = server.open(`${head(1_000)}${filePart("f", "abc")}`);
    await once(server.server, "request");
    socket.destroy();
    expect(await failed.promise).toMatchObject({
      status: 400,
      message: "The request body did not arrive as announced.",
    });
    await new Promise(setImmediate);
    expect(server.errors).toEqual([]);
  });
});

describe("the limits of a form", () => {
  const limits = { bodyLimit: 1e6, fileLimit: 1_000, fieldLimit: 100, maxParts: 3 };
  const bytes = (length: number) => new Blob(["x".repeat(length)]);
  const file413 = 'File "a" in the request body is too large. At most 1000 bytes are allowed.';
  const fields413 = "The fields of the request body are too large. At most 100 bytes are allowed.";
  const cases: [string, [string, string | Blob][], string | undefined][] = [
    ["a file of fileLimit", [["a", bytes(1_000)]], undefined],
    ["a larger file", [["a", bytes(1_001)]], file413],
    ["a much larger file", [["a", bytes(500_000)]], file413],
    [
      "fields of fieldLimit",
      [
        ["a", "x".repeat(49)],
        ["b", "x".repeat(49)],
      ],
      undefined,
    ],
    [
      "larger fields",
      [
        ["a", "x".repeat(49)],
        ["b", "x".repeat(50)],
      ],
      fields413,
    ],
    ["a field that is larger by itself", [["a", "x".repeat(500)]], fields413],
    [
      "three parts",
      [
        ["a", "1"],
        ["b", bytes(1)],
        ["c", "1"],
      ],
      undefined,
    ],
    [
      "four parts",
      [
        ["a", "1"],
        ["b", bytes(1)],
        ["c", "1"],
        ["d", "1"],
      ],
      "The request body has too many parts. At most 3 are allowed.",
    ],
  ];

  test.each(cases)("apply to a streamed body: %s", async (_title, fields, message) => {
    const server = await serveUpload(collect, { limits });
    const { status, json } = await post(server, formOf(...fields));
    expect([status, message === undefined ? undefined : (json as Problem).message]).toEqual([
      message === undefined ? 200 : 413,
      message,
    ]);
    const shared = await serveUpload(collect, { shared: limits });
    expect((await post(shared, formOf(...fields))).status).toBe(status);
  });

  test.each(cases)("apply to a body in memory: %s", async (_title, fields, message) => {
    const server = await serveUpload(() => ({ status: 200, body: "done" }), { shared: limits, isStreamed: false });
    const { status, json } = await post(server, formOf(...fields));
    expect([status, (json as Problem).message]).toEqual([message === undefined ? 200 : 413, message]);
  });

  test("fail the stream of a file that is too large, although its end has arrived", async () => {
    const reached = Promise.withResolvers<void>();
    const errors: unknown[] = [];
    const server = await serveUpload(
      async ({ parts }) => {
        for await (const { stream } of parts) {
          reached.resolve();
          await buffer(stream!).catch((error: Problem) => errors.push(error.status));
        }
        return { status: 200 };
      },
      { limits },
    );
    const socket = server.open(`${head(5_000)}${filePart("a", "x".repeat(900)).slice(0, -2)}`);
    await reached.promise;
    socket.write(`${"x".repeat(101)}\r\n${filePart("b", "1")}`);
    expect(await answerTo(socket)).toEqual([413, file413]);
    expect(errors[0]).toBe(413);
  });

  test("end a value with a file name before it has arrived", async () => {
    const server = await serveUpload(collect, { form, limits });
    const socket = server.open(`${head(60_000)}${filePart("title", "x".repeat(500))}`);
    socket.write("x".repeat(100));
    expect(await answerTo(socket)).toEqual([413, fields413]);
  });

  test("allow a file skipped by the handler no more bytes", async () => {
    const server = await serveUpload(
      async ({ parts }) => {
        for await (const _part of parts);
        return { status: 200 };
      },
      { limits: { ...limits, fileLimit: 200_000 } },
    );
    expect((await post(server, formOf(["a", bytes(500_000)], ["b", "1"]))).status).toBe(413);
  });

  test("are 1,000 parts and 65,536 bytes of fields by default", async () => {
    const server = await serveUpload(collect, { limits: { bodyLimit: 1e6 } });
    const list = (count: number): [string, string][] => Array.from({ length: count }, () => ["a", "1"]);
    expect((await post(server, formOf(...list(1_000)))).status).toBe(200);
    expect((await post(server, formOf(...list(1_001)))).status).toBe(413);
    expect((await post(server, formOf(["a", "x".repeat(65_535)]))).status).toBe(200);
    expect((await post(server, formOf(["a", "x".repeat(65_536)]))).status).toBe(413);
  });
});

describe("a malformed form", () => {
  const invalid = "The request body is not valid multipart/form-data.";
  test.each([
    ["no boundary in Content-Type", "multipart/form-data", textPart("a", "1"), invalid],
    ["a malformed Content-Type", 'multipart/form-data; boundary="', textPart("a", "1"), invalid],
    ["no boundary in the body", undefined, "nonsense", invalid],
    ["no final boundary", undefined, textPart("a", "1"), invalid],
    ["no final boundary of a file", undefined, filePart("a", "1").slice(0, -2), invalid],
    ["a head without an end", undefined, '--B\r\nContent-Disposition: form-data; name="a"', invalid],
    ["a head of 20 kB", undefined, `--B\r\nX: ${"x".repeat(20_000)}\r\n${textPart("a", "1")}--B--`, invalid],
    [
      "no name",
      undefined,
      `--B\r\nContent-Disposition: form-data\r\n\r\n1\r\n--B--`,
      "A part of the request body has no name. Name its field in Content-Disposition.",
    ],
    [
      "an unknown charset",
      undefined,
      `--B\r\nContent-Disposition: form-data; name="a"\r\nContent-Type: text/plain; charset=x\r\n\r\n1\r\n--B--`,
      'Body field "a" is in an unknown charset. Send it in UTF-8.',
    ],
  ])("is a 400: %s", async (_title, contentType = "multipart/form-data; boundary=B", body, message) => {
    const server = await serveUpload(collect);
    expect(await post(server, body, contentType)).toMatchObject({ status: 400, json: { message } });
    expect(server.errors).toEqual([]);
    expect((await post(server, formOf(["a", "1"]))).status).toBe(200);
  });

  test("of thousands of small files is not parsed ahead of the handler", async () => {
    let connection: Socket | undefined;
    let ahead = 0;
    const server = await serveUpload(
      async ({ parts }) => {
        let count = 0;
        for await (const { stream } of parts) {
          count += (await buffer(stream!)).length;
          ahead = Math.max(ahead, connection!.bytesRead - count * filePart("f", "1").length);
        }
        return { status: 200, body: count };
      },
      { limits: { bodyLimit: 1e8, maxParts: 1e6, fieldLimit: 1e8 } },
    );
    server.server.on("connection", (socket) => (connection = socket));
    const sent = `${filePart("f", "1").repeat(20_000)}--B--\r\n`;
    expect(await post(server, sent, "multipart/form-data; boundary=B")).toEqual({ status: 200, json: 20_000 });
    expect(ahead).toBeLessThan(400_000);
  });

  test("may end the iteration early, which ends the stream of the part", async () => {
    const server = await serveUpload(async ({ parts }) => {
      let first: FilePart | undefined;
      for await (const part of parts) {
        if (!part.stream) return { status: 200, body: part.field };
        first = part;
        break;
      }
      await expect(buffer(first!.stream)).rejects.toThrow("was left for the next part");
      return { status: 200, body: first!.field };
    });
    expect((await post(server, formOf(["a", new Blob(["x".repeat(50_000)]), "f"], ["b", "1"]))).json).toBe("a");
    expect((await post(server, formOf(["c", "1"]))).json).toBe("c");
  });
});

function head(length: number): string {
  const headers = `Content-Type: multipart/form-data; boundary=B\r\nContent-Length: ${length}`;
  return `POST /upload HTTP/1.1\r\nHost: x\r\n${headers}\r\n\r\n`;
}

function textPart(name: string, value: string): string {
  return `--B\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;
}

function filePart(name: string, value: string): string {
  return `--B\r\nContent-Disposition: form-data; name="${name}"; filename="f"\r\n\r\n${value}\r\n`;
}

/** Returns a part without a file name. If it is empty, it is that of a file input without a file. */
function unnamedPart(name: string, value: string): string {
  const fields = `Content-Disposition: form-data; name="${name}"; filename=""\r\nContent-Type: application/octet-stream`;
  return `--B\r\n${fields}\r\n\r\n${value}\r\n`;
}

/** Returns status and message of the first response on a connection. */
async function answerTo(socket: Socket): Promise<[status: number, message: string]> {
  let answer = "";
  for await (const chunk of socket as AsyncIterable<Buffer>) if ((answer += chunk.toString()).endsWith("}")) break;
  const { status, message } = JSON.parse(answer.slice(answer.indexOf("{"))) as Problem;
  return [status, message];
}
