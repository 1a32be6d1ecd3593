import { hashKey, QueryClient } from "@tanstack/react-query";
import { describe, expect, test } from "vitest";
import { infiniteQueriesOf, mutationsOf, queriesOf } from "../src/react-query/index.ts";
import { createLibrary } from "./library/src/generated/index.ts";
import { operations } from "./library/src/generated/operations.ts";
import { libraryInfiniteQueries, libraryMutations, libraryQueries } from "./library/src/generated/queries.ts";

/** The options of TanStack Query, as it calls them. */
interface Options {
  queryKey: unknown;
  mutationKey: unknown;
  retry: unknown;
  initialPageParam: unknown;
  queryFn: (context: { signal: AbortSignal; pageParam?: unknown }) => Promise<{ next: unknown }>;
  mutationFn: (input: unknown) => Promise<unknown>;
  getNextPageParam: (page: { next: unknown }) => unknown;
}
type Made = Record<string, (input?: object) => Options>;

const links = ['</v2/books?a=1&cursor=b%20c>; rel="next"', "<?other=1>; rel=next", "<?>; rel=next", ""];
const sent: { url: string; method: string | undefined; body: unknown; signal: AbortSignal }[] = [];
const library = createLibrary({
  baseUrl: "http://library.test/v2",
  token: "t",
  onDeprecated: false,
  retry: false,
  async fetch(request) {
    const { url, method, signal } = request;
    sent.push({ url: url.replace("http://library.test/v2", ""), method, body: await request.text(), signal });
    signal.throwIfAborted();
    if (url.includes("lost")) return Response.json({ reason: "not_found", text: "It is lost." }, { status: 404 });
    const headers = { Link: links[sent.length % links.length]! };
    return Response.json(method === "GET" && url.includes("/books?") ? [{ id: 1, title: "" }] : { id: 1, title: "" }, {
      status: method === "POST" ? 201 : 200,
      headers,
    });
  },
});
const queries = libraryQueries(library) as unknown as Made;
const infinite = libraryInfiniteQueries(library, "staging") as unknown as Made;
const mutations = libraryMutations(library) as unknown as Made;
const signal = () => new AbortController().signal;

test("queries are the GET operations, infinite ones those with a cursor of links, and mutations the others", () => {
  const byMethod = (isRead: boolean) =>
    Object.entries(operations).flatMap(([name, { method }]) => ((method === "GET") === isRead ? [name] : []));
  expect(Object.keys(queries)).toEqual(byMethod(true));
  expect(Object.keys(mutations)).toEqual(byMethod(false));
  expect(Object.keys(infinite)).toEqual(["listBooks"]);
});

describe("the options of", () => {
  test("a query have its key, and call the operation with the query's signal", async () => {
    const { queryFn, ...query } = queries["getBook"]!({ id: 1n });
    expect(query).toEqual({ queryKey: ["library", "getBook", { id: "1" }], retry: false });
    expect(queries["listBooks"]!().queryKey).toEqual(["library", "listBooks", {}]);
    expect(await queryFn({ signal: signal() })).toEqual({ id: 1n, title: "" });
    expect(sent.at(-1)).toMatchObject({ url: "/books/1", method: "GET" });
    await expect(queryFn({ signal: AbortSignal.abort() })).rejects.toMatchObject({
      name: "LibraryError",
      code: "aborted",
    });
    await expect(queries["getBook"]!({ id: "lost" }).queryFn({ signal: signal() })).rejects.toMatchObject({
      code: "not_found",
    });
  });

  test("an infinite query lead from page to page by the cursor of the link", async () => {
    const { queryFn, getNextPageParam, ...query } = infinite["listBooks"]!({ tags: ["a"] });
    const queryKey = ["staging", "listBooks", { tags: ["a"] }, "pages"];
    expect(query).toEqual({ queryKey, retry: false, initialPageParam: undefined });
    expect(infinite["listBooks"]!().queryKey).toEqual(["staging", "listBooks", {}, "pages"]);
    const items = [{ id: 1n, title: "" }];
    const found = [];
    sent.length = 3; // The next response has the first link.
    for (let page = 0; page < 4; page++) {
      const result = await queryFn({ signal: signal(), pageParam: page === 0 ? undefined : `p${page}` });
      expect(result).toEqual({ items, next: result.next });
      found.push([sent.at(-1)!.url, getNextPageParam(result)]);
    }
    expect(found).toEqual([
      ["/books?tags=a", "b c"],
      ["/books?tags=a&cursor=p1", undefined],
      ["/books?tags=a&cursor=p2", undefined],
      ["/books?tags=a&cursor=p3", undefined],
    ]);
    await expect(queryFn({ signal: AbortSignal.abort() })).rejects.toMatchObject({ code: "aborted" });
  });

  test("a mutation send its variables", async () => {
    const { mutationFn, ...mutation } = mutations["addBook"]!();
    expect(mutation).toEqual({ mutationKey: ["library", "addBook"], retry: false });
    expect(await mutationFn({ title: "Emma" })).toEqual({ id: 1n, title: "" });
    expect(sent.at(-1)).toMatchObject({ url: "/books", method: "POST", body: '{"title":"Emma"}' });
  });
});

test("a QueryClient can hash a key with a bigint", async () => {
  const cache = new QueryClient();
  const query = libraryQueries(library).getBook({ id: 1n });
  expect(await cache.fetchQuery(query)).toEqual({ id: 1n, title: "" });
  expect(cache.getQueryData(query.queryKey)).toEqual({ id: 1n, title: "" });
  const nested = libraryQueries(library).listBooks({ filter: { ids: [1n] } as never });
  expect(hashKey(nested.queryKey)).toContain('{"filter":{"ids":["1"]}}');
});

test("the functions behind the generated ones take any operations", () => {
  const { watch, follow } = operations;
  expect(Object.keys(queriesOf({ watch, follow }, library, "a"))).toEqual(["watch"]);
  expect(Object.keys(mutationsOf({ watch, follow }, library, "a"))).toEqual(["follow"]);
  expect(infiniteQueriesOf({ watch, follow }, library, "a")).toEqual({});
});
