import {
  mkdtempSync,
  readdirSync,
  readlinkSync,
  rmSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { once } from "node:events";
import { open } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { file } from "../src/index.ts";
import { GET, serveStream } from "./streaming.ts";

const TEXT = { "text/plain": { schema: { type: "string" } } };
let folder: string;
let path: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "files-"));
  path = join(folder, "digits.txt");
  writeFileSync(path, "0123456789");
  utimesSync(path, 1_700_000_000, 1_700_000_000.5);
});
afterAll(() => rmSync(folder, { recursive: true }));

const serve = (options?: object) =>
  serveStream({ content: TEXT, handler: async () => ({ status: 200, body: await file(path, options) }) });
const MODIFIED = "Tue, 14 Nov 2023 22:13:20 GMT";
const BEFORE = "Tue, 14 Nov 2023 22:13:19 GMT";
const AFTER = "Tue, 14 Nov 2023 22:13:21 GMT";

describe.each(["a file", "a blob"])("Range of %s", (kind) => {
  test.each([
    ["bytes=2-4", 206, "234", "bytes 2-4/10"],
    ["bytes=0-0", 206, "0", "bytes 0-0/10"],
    ["bytes=7-", 206, "789", "bytes 7-9/10"],
    ["bytes=7-99", 206, "789", "bytes 7-9/10"],
    ["bytes=0-9", 206, "0123456789", "bytes 0-9/10"],
    ["bytes=-3", 206, "789", "bytes 7-9/10"],
    ["bytes=-99", 206, "0123456789", "bytes 0-9/10"],
    ["BYTES=9-9", 206, "9", "bytes 9-9/10"],
    ["bytes=10-", 416, "", "bytes */10"],
    ["bytes=99999999999999999999-", 416, "", "bytes */10"],
    ["bytes=-0", 416, "", "bytes */10"],
    ["bytes=0-1,3-4", 200, "0123456789", null],
    ["bytes=4-2", 200, "0123456789", null],
    ["bytes=-", 200, "0123456789", null],
    ["bytes=a-b", 200, "0123456789", null],
    ["bytes=1-2x", 200, "0123456789", null],
    ["lines=1-2", 200, "0123456789", null],
    ["", 200, "0123456789", null],
  ])("%s gets %d", async (range, status, body, contentRange) => {
    const { url } = await serveStream({
      content: TEXT,
      handler: async () => ({ status: 200, body: kind === "a file" ? await file(path) : new Blob(["01234", "56789"]) }),
    });
    const response = await fetch(url, { headers: { Range: range } });
    const text = await response.text();
    const names = ["Content-Range", "Content-Length", "Accept-Ranges"];
    const headers = names.map((name) => response.headers.get(name));
    const expected =
      status === 416 ? [contentRange, String(text.length), null] : [contentRange, String(body.length), "bytes"];
    expect([response.status, ...headers]).toEqual([status, ...expected]);
    expect(text).toContain(status === 416 ? '"code":"range_not_satisfiable"' : body);
  });

  test("is ignored for HEAD", async () => {
    const { url } = await serve();
    const response = await fetch(url, { method: "HEAD", headers: { Range: "bytes=2-4" } });
    expect([response.status, response.headers.get("Content-Length")]).toEqual([200, "10"]);
  });
});

test("an empty file has no part", async () => {
  const empty = join(folder, "empty");
  writeFileSync(empty, "");
  const { url } = await serveStream({ content: TEXT, handler: async () => ({ status: 200, body: await file(empty) }) });
  const statuses = ["", "bytes=0-", "bytes=-1"].map(async (Range) => (await fetch(url, { headers: { Range } })).status);
  expect(await Promise.all(statuses)).toEqual([200, 416, 416]);
});

describe("conditions, in the order of RFC 9110, section 13.2.2", () => {
  test.each<[number, Record<string, string>]>([
    [200, { "If-Match": "*" }],
    [200, { "If-Match": '"x", "own"' }],
    [412, { "If-Match": '"x"' }],
    [412, { "If-Match": 'W/"own"' }],
    [200, { "If-Match": '"own"', "If-Unmodified-Since": BEFORE }],
    [200, { "If-Unmodified-Since": MODIFIED }],
    [412, { "If-Unmodified-Since": BEFORE }],
    [412, { "If-Unmodified-Since": BEFORE, "If-None-Match": '"own"' }],
    [200, { "If-Unmodified-Since": "yesterday" }],
    [304, { "If-None-Match": '"own"' }],
    [304, { "If-None-Match": 'W/"own"' }],
    [304, { "If-None-Match": '"x" , "own"' }],
    [304, { "If-None-Match": "*" }],
    [200, { "If-None-Match": '"x"' }],
    [200, { "If-None-Match": '"x"', "If-Modified-Since": AFTER }],
    [304, { "If-Modified-Since": MODIFIED }],
    [304, { "If-Modified-Since": AFTER }],
    [200, { "If-Modified-Since": BEFORE }],
    [200, { "If-Modified-Since": "99999" }],
    [200, { "If-Unmodified-Since": "1" }],
    [412, { "If-Unmodified-Since": "Sunday, 06-Nov-94 08:49:37 GMT" }],
    [412, { "If-Unmodified-Since": "Sun Nov  6 08:49:37 1994" }],
    [304, { "If-None-Match": '"own"', Range: "bytes=1-2" }],
    [206, { "If-Range": '"own"', Range: "bytes=1-2" }],
    [200, { "If-Range": '"x"', Range: "bytes=1-2" }],
    [200, { "If-Range": 'W/"own"', Range: "bytes=1-2" }],
    [206, { "If-Range": MODIFIED, Range: "bytes=1-2" }],
    [200, { "If-Range": BEFORE, Range: "bytes=1-2" }],
    [200, { "If-Range": AFTER, Range: "bytes=1-2" }],
    [200, { "If-Range": '"x"', Range: "bytes=99-" }],
  ])("%d for %o", async (status, headers) => {
    const { url } = await serve({ etag: '"own"' });
    const [get, head] = await Promise.all(["GET", "HEAD"].map((method) => fetch(url, { method, headers })));
    expect([get!.status, head!.status]).toEqual([status, status === 206 ? 200 : status]);
    await Promise.all([get!.text(), head!.text()]);
  });

  test("a 304 keeps the validators, and has no headers of the content", async () => {
    const { url } = await serve({ etag: '"own"', name: "a" });
    const { headers } = await fetch(url, { headers: { "If-None-Match": '"own"' } });
    const names = ["ETag", "Last-Modified", "Content-Type", "Content-Length", "Content-Disposition"];
    expect(names.map((name) => headers.get(name))).toEqual(['"own"', MODIFIED, null, null, null]);
  });

  test("headers of the handler take precedence over those of the file", async () => {
    const { url } = await serveStream({
      content: TEXT,
      headers: { etag: {}, "last-modified": {} },
      handler: async () => ({ status: 200, headers: { etag: '"mine"' }, body: await file(path) }),
    });
    expect((await fetch(url)).headers.get("ETag")).toBe('"mine"');
    expect((await fetch(url, { headers: { "If-None-Match": '"mine"' } })).status).toBe(304);
  });

  test("another status than 200 has neither conditions nor ranges", async () => {
    const { url } = await serveStream({
      content: TEXT,
      responses: { 404: { description: "", content: TEXT } },
      handler: async () => ({ status: 404, body: await file(path) }),
    });
    const response = await fetch(url, { headers: { Range: "bytes=1-2", "If-None-Match": "*" } });
    expect([response.status, await response.text()]).toEqual([404, "0123456789"]);
    expect([response.headers.get("ETag"), response.headers.get("Accept-Ranges")]).toEqual([null, null]);
  });
});

describe("the ETag of a file", () => {
  test("is strong, and changes with its content in the same second", async () => {
    const changing = join(folder, "changing");
    const { url } = await serveStream({
      content: TEXT,
      handler: async () => ({ status: 200, body: await file(changing) }),
    });
    const tags = new Set<string | null>();
    for (const content of ["a", "b"]) {
      writeFileSync(changing, content);
      utimesSync(changing, 1_700_000_000, tags.size === 0 ? 1_700_000_000.25 : 1_700_000_000.5);
      tags.add((await fetch(url)).headers.get("ETag"));
    }
    expect(tags.size).toBe(2);
    for (const tag of tags) expect(tag).toMatch(/^"[\w-]+"$/);
  });

  test("has to be an entity tag", async () => {
    await expect(file(path, { etag: "own" })).rejects.toThrow("Put it in double quotes.");
  });
});

describe("file", () => {
  test("rejects with ENOENT, so that a handler can return 404", async () => {
    await expect(file(join(folder, "none"))).rejects.toMatchObject({ code: "ENOENT" });
  });

  test("rejects a folder and a device", async () => {
    await expect(file(folder)).rejects.toMatchObject({ code: "EISDIR" });
    await expect(file("/dev/null")).rejects.toMatchObject({ code: "EINVAL" });
  });

  test("opens a path only for a response, and leaves no descriptor open", async () => {
    const before = descriptors();
    await file(path);
    expect(descriptors()).toBe(before);
    const { url } = await serve({ etag: '"own"' });
    const requests: RequestInit[] = [
      {},
      { method: "HEAD" },
      { headers: { Range: "bytes=1-2" } },
      { headers: { Range: "bytes=99-" } },
      { headers: { "If-None-Match": '"own"' } },
      { headers: { "If-Match": '"x"' } },
    ];
    for (const request of requests) await (await fetch(url, request)).text();
    await expect.poll(() => openFiles()).toEqual([]);
  });

  test("a file handle that cannot be read is a 500, and is closed", async () => {
    const handle = await open(join(folder, "write-only"), "w");
    await handle.write("abc");
    const server = await serveStream({
      content: TEXT,
      handler: async () => ({ status: 200, body: await file(handle) }),
    });
    expect((await fetch(server.url)).status).toBe(500);
    expect([server.errors, handle.fd]).toMatchObject([[{ code: "EBADF" }], -1]);
  });

  test("a file that disappears before the response is a 500", async () => {
    const gone = join(folder, "gone");
    const server = await serveStream({
      content: TEXT,
      handler: async () => {
        writeFileSync(gone, "a");
        const body = await file(gone);
        rmSync(gone);
        return { status: 200, body };
      },
    });
    expect((await fetch(server.url)).status).toBe(500);
    expect(server.errors).toMatchObject([{ code: "ENOENT" }]);
  });

  test("a file that shrinks while it is sent ends the connection", async () => {
    const shrinking = join(folder, "shrinking");
    const size = 64 * 2 ** 20;
    writeFileSync(shrinking, Buffer.alloc(size));
    const handle = await open(shrinking);
    const server = await serveStream({
      content: TEXT,
      handler: async () => ({ status: 200, body: await file(handle) }),
    });
    const socket = await server.open(GET);
    await once(socket, "readable");
    truncateSync(shrinking, 2 ** 20);
    let received = 0;
    socket.on("data", (data: Buffer) => (received += data.length)).resume();
    await once(socket, "close");
    expect(received).toBeLessThan(size);
    expect(server.errors.map(({ message }) => message)).toEqual([
      expect.stringMatching(/^The body ended after \d+ bytes of its Content-Length of 67108864\.$/),
    ]);
    expect(handle.fd).toBe(-1);
  });
});

test("a large file arrives unchanged", async () => {
  const large = join(folder, "large");
  const bytes = Buffer.from(Uint32Array.from({ length: 2 ** 20 }, (_, at) => at).buffer);
  writeFileSync(large, bytes);
  const { url } = await serveStream({ content: TEXT, handler: async () => ({ status: 200, body: await file(large) }) });
  expect(Buffer.from(await (await fetch(url)).arrayBuffer()).equals(bytes)).toBe(true);
  const part = await fetch(url, { headers: { Range: "bytes=1000003-3000007" } });
  expect(Buffer.from(await part.arrayBuffer()).equals(bytes.subarray(1_000_003, 3_000_008))).toBe(true);
  expect(statSync(large).size).toBe(bytes.length);
});

describe("Content-Disposition", () => {
  test.each([
    [{ name: "a b.txt" }, 'attachment; filename="a b.txt"'],
    [{ name: "a.txt", disposition: "inline" }, 'inline; filename="a.txt"'],
    [{ disposition: "inline" }, "inline"],
    [{}, null],
    [{ name: "naïve €.txt" }, "attachment; filename=\"na?ve ?.txt\"; filename*=UTF-8''na%C3%AFve%20%E2%82%AC.txt"],
    [{ name: 'a"b.txt' }, "attachment; filename=\"a'b.txt\"; filename*=UTF-8''a%22b.txt"],
    [{ name: "50%25.txt" }, "attachment; filename=\"50%25.txt\"; filename*=UTF-8''50%2525.txt"],
    [{ name: "../..\\x/(1)*'.txt" }, 'attachment; filename="(1)*\'.txt"'],
    [{ name: "a\r\nSet-Cookie: b" }, 'attachment; filename="aSet-Cookie: b"'],
    [{ name: "\ud800é" }, "attachment; filename=\"??\"; filename*=UTF-8''%EF%BF%BD%C3%A9"],
  ])("of %o is %s", async (options, value) => {
    expect((await fetch((await serve(options)).url)).headers.get("Content-Disposition")).toBe(value);
  });
});

function descriptors(): number {
  return readdirSync("/proc/self/fd").length;
}

/** The descriptors of this process for files of the test's folder. */
function openFiles(): string[] {
  return readdirSync("/proc/self/fd").flatMap((fd) => {
    try {
      const target = readlinkSync(`/proc/self/fd/${fd}`);
      return target.startsWith(folder) ? [target] : [];
    } catch {
      return []; // closed meanwhile
    }
  });
}
