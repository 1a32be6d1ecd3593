import { afterAll, beforeAll, expect, test } from "vitest";
import { startThings, type Things } from "../testing/start-things.ts";

/** Stored by the client only, and revalidated each time. */
const REVALIDATED = "private, no-cache";
const NEVER = "no-store";
/** The name of the file changes with its content. */
const FOR_EVER = "public, max-age=31536000, immutable";
const SCRIPT = "the script of /docs";

let service: Things;
beforeAll(async () => void (service = await startThings()));
afterAll(() => service[Symbol.asyncDispose]());

const get = async (path: string, headers: Record<string, string> = {}): Promise<Response> => {
  const asked = new URL(path === SCRIPT ? await scriptPath() : path, service.baseUrl);
  return fetch(asked, { headers: { "Accept-Encoding": "gzip", ...headers } });
};
const scriptPath = async () => /src="([^"]+)"/.exec(await (await get("/docs")).text())![1]!;

/** The caching headers of each response outside the API, and whether it has an ETag. */
const ANSWERS: { path: string; cacheControl: string; vary: string | null; isTagged: boolean }[] = [
  { path: "/openapi.json", cacheControl: REVALIDATED, vary: null, isTagged: true },
  { path: "/openapi.yaml", cacheControl: REVALIDATED, vary: null, isTagged: true },
  { path: "/docs", cacheControl: NEVER, vary: null, isTagged: false },
  { path: SCRIPT, cacheControl: FOR_EVER, vary: "Accept-Encoding", isTagged: false },
];

const cachingOf = ({ status, headers }: Response) => ({
  status,
  cacheControl: headers.get("Cache-Control"),
  vary: headers.get("Vary"),
  isTagged: headers.has("ETag"),
});

test.each(ANSWERS)(
  "the caching headers of $path: Cache-Control $cacheControl, Vary $vary",
  async ({ path, ...expected }) => {
    expect(cachingOf(await get(path))).toEqual({ status: 200, ...expected });
  },
);

test.each(ANSWERS.filter(({ isTagged }) => isTagged))(
  "a 304 for $path has the same caching headers as the 200 (RFC 9110, section 15.4.5)",
  async ({ path, ...expected }) => {
    const tag = (await get(path)).headers.get("ETag")!;
    const again = await get(path, { "If-None-Match": tag });
    expect({ ...cachingOf(again), tag: again.headers.get("ETag") }).toEqual({ status: 304, ...expected, tag });
  },
);

test("the script has Vary even if it is not compressed", async () => {
  const { headers } = await get(SCRIPT, { "Accept-Encoding": "identity" });
  expect([headers.get("Content-Encoding"), headers.get("Vary"), headers.get("Cache-Control")]).toEqual([
    null,
    "Accept-Encoding",
    FOR_EVER,
  ]);
});
