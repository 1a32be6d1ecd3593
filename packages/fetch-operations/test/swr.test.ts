import { createElement, useEffect } from "react";
import { create } from "react-test-renderer";
import useSWR, { mutate, preload, SWRConfig, useSWRConfig } from "swr";
import useSWRInfinite, { unstable_serialize } from "swr/infinite";
import useSWRMutation from "swr/mutation";
import { afterEach, expect, expectTypeOf, onTestFinished, test, vi } from "vitest";
import { type AddBookInput, createLibrary, type Data, type LibraryError } from "./library/src/generated/index.ts";
import { operations } from "./library/src/generated/operations.ts";
import {
  libraryInfiniteQueries,
  libraryMutations,
  libraryQueries,
  type ListPage,
} from "./library/src/generated/swr.ts";
import { createFakeLibrary } from "./library/src/generated/testing.ts";

// SWR fetches nothing on a server, which it takes a program without a window for; and the renderer logs that it is deprecated.
vi.hoisted(() => Object.assign(globalThis, { window: {}, IS_REACT_NATIVE_TEST_ENVIRONMENT: true }));

const fake = createFakeLibrary();
afterEach(() => fake.reset());
const settings = { baseUrl: "http://library.test/v2", token: "secret", onDeprecated: false as const };
const library = createLibrary({ ...settings, fetch: fake.fetch, retry: { limit: 1, baseDelay: 1 } });
const queries = libraryQueries(library);
const infinite = libraryInfiniteQueries(library, "staging");
const mutations = libraryMutations(library);

/** Renders a hook with a cache of its own. The function resolves to the hook's first value that satisfies a condition. */
function render<Value>(useValue: () => Value): (isMet: (value: Value) => boolean) => Promise<Value> {
  let current: { value: Value } | undefined;
  let check = () => {};
  const Component = () => {
    const value = useValue();
    useEffect(() => {
      current = { value };
      check();
    });
    return null;
  };
  const root = create(createElement(SWRConfig, { value: { provider: () => new Map() } }, createElement(Component)));
  onTestFinished(() => root.unmount());
  return (isMet) =>
    new Promise((resolve) => {
      check = () => {
        if (current && isMet(current.value)) resolve(current.value);
      };
      check();
    });
}

test("queries are the GET operations, infinite ones those with a cursor of links, and mutations the others", () => {
  const named = (isRead: boolean) =>
    Object.entries(operations).flatMap(([name, { method }]) => ((method === "GET") === isRead ? [name] : []));
  expect(Object.keys(queries)).toEqual(named(true));
  expect(Object.keys(mutations)).toEqual(named(false));
  expect(Object.keys(infinite)).toEqual(["listBooks"]);
});

test("useSWR has the data, and sends the request again for mutate(key)", async () => {
  const query = queries.getBook({ id: 1n });
  expect(query[0]).toEqual(["library", "getBook", { id: 1n }]);
  const when = render(() => {
    const own = useSWR<Data<"getBook">, LibraryError>(...queries.getBook({ id: 1n }));
    expectTypeOf(own.data).toEqualTypeOf<Data<"getBook"> | undefined>();
    expectTypeOf(own.error).toEqualTypeOf<LibraryError | undefined>();
    return { ...own, mutate: useSWRConfig().mutate };
  });
  const { data, mutate: mutateOf } = await when((own) => own.data !== undefined);
  expect(data).toEqual({ id: 1n, title: "Emma" });
  fake.mock("getBook", { status: 200, body: { id: 1n, title: "Two" } });
  await mutateOf(query[0]);
  expect((await when((own) => own.data?.title !== "Emma")).data?.title).toBe("Two");
  expect(fake.requestsTo("getBook")).toHaveLength(2);
});

test("only the client retries, and the error is the client's", async () => {
  fake.mock("listBooks", { status: 503 });
  const when = render(() => useSWR<Data<"listBooks">, LibraryError>(...queries.listBooks()).error);
  const error = await when((own) => own !== undefined);
  expect([error?.name, error?.status]).toEqual(["LibraryError", 503]);
  expect(fake.requests).toHaveLength(2);
  expect(queries.listBooks()[2]).toEqual({ shouldRetryOnError: false });
});

test("a falsy input sends no request, and no input is an empty one", async () => {
  for (const input of [null, undefined, false, 0, ""] as const) {
    expect(queries.getBook(input)[0]).toBeNull();
    expect(queries.listBooks(input)[0]).toBeNull();
    expect(infinite.listBooks(input)[0](0, null)).toBeNull();
  }
  expect(queries.listBooks()[0]).toEqual(["library", "listBooks", {}]);
  expect(await render(() => useSWR(...queries.getBook(null)).isLoading)(() => true)).toBe(false);
  // @ts-expect-error the input is required
  expect(() => queries.getBook()).not.toThrow();
  expect(fake.requests).toEqual([]);
});

test("useSWRInfinite leads from page to page by the cursor of the link, and mutate of its key starts again", async () => {
  fake.mock("listBooks", ({ query: { cursor } }) => ({
    status: 200,
    body: [{ id: cursor === undefined ? 1n : 2n, title: "" }],
    headers: cursor === undefined ? { Link: '</v2/books?a=1&cursor=b%20c>; rel="next"' } : {},
  }));
  const when = render(() => {
    const own = useSWRInfinite(...infinite.listBooks({ tags: ["a"] }));
    expectTypeOf(own.data).toEqualTypeOf<ListPage<"listBooks">[] | undefined>();
    expectTypeOf(own.error).toEqualTypeOf<LibraryError | undefined>();
    return { ...own, mutateAll: useSWRConfig().mutate };
  });
  const { setSize, mutateAll } = await when(({ data }) => data !== undefined);
  await setSize(3);
  const { data } = await when((own) => own.data?.length === 2);
  expect(data?.map(({ items, next }) => [items[0]?.id, next])).toEqual([
    [1n, "b c"],
    [2n, undefined],
  ]);
  expect(fake.requestsTo("listBooks").at(-1)?.query).toEqual({ tags: ["a"], cursor: "b c" });
  const [getKey] = infinite.listBooks({ tags: ["a"] });
  expect(getKey(0, null)).toEqual(["staging", "listBooks", { tags: ["a"] }, "pages"]);
  const { length } = fake.requests;
  await mutateAll(unstable_serialize(getKey));
  expect(fake.requests.length).toBeGreaterThan(length);
  // @ts-expect-error pages begin with the first
  infinite.listBooks({ cursor: "b" });
});

test("useSWRMutation sends its argument, and revalidates the query whose key it has", async () => {
  fake.mock("listBooks", { status: 200, body: [] }, { status: 200, body: [{ id: 2n, title: "Two" }] });
  const [key] = queries.listBooks();
  const when = render(() => {
    const own = useSWRMutation(...mutations.addBook());
    expectTypeOf(own.trigger).parameter(0).toEqualTypeOf<AddBookInput>();
    expectTypeOf(own.data).toEqualTypeOf<Data<"addBook"> | undefined>();
    expectTypeOf(own.error).toEqualTypeOf<LibraryError | undefined>();
    expectTypeOf(useSWRMutation(...mutations.lend()).trigger).toBeCallableWith();
    const [, addBook, config] = mutations.addBook();
    return { own, listed: useSWR(...queries.listBooks()).data, adding: useSWRMutation(key, addBook, config) };
  });
  const { own, adding } = await when(({ listed }) => listed !== undefined);
  expect(await own.trigger({ title: "Emma" })).toEqual({ id: 1n, title: "Emma" });
  expect(fake.requests.map(({ operationId }) => operationId)).toEqual(["listBooks", "addBook"]);
  await adding.trigger({ title: "Two" });
  await when(({ listed }) => listed?.length === 1);
  expect(fake.requestsTo("addBook").map(({ body }) => body.title)).toEqual(["Emma", "Two"]);
  fake.mock("addBook", { status: 409 });
  await expect(own.trigger({ title: "Emma" })).rejects.toMatchObject({ name: "LibraryError", code: "title_taken" });
});

test("two services share a cache under their names, and preload fills it", async () => {
  const other = libraryQueries(library, "other");
  const [key, fetcher] = queries.listLoans({ offset: 1 });
  fake.mock("listLoans", { status: 200, body: {} });
  await preload(key, fetcher);
  expect(other.listLoans({ offset: 1 })[0]).toEqual(["other", "listLoans", { offset: 1 }]);
  expect(fake.requestsTo("listLoans").map(({ query }) => query.offset)).toEqual([1]);
  expect(await mutate<Data<"listLoans">>(key)).toBeUndefined();
});
