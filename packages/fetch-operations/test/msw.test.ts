import { http, HttpResponse } from "msw";
import { setupServer } from "msw/node";
import { afterAll, afterEach, beforeAll, expect, test, vi } from "vitest";
import { createLibrary } from "./library/src/generated/index.ts";
import { createFakeLibrary } from "./library/src/generated/testing.ts";

const baseUrl = "https://library.test/v2";
const fake = createFakeLibrary();
const other = http.get(`${baseUrl}/other`, () => HttpResponse.text("other"));
const own = http.all(
  ({ request }) => request.url.startsWith(baseUrl) && fake.has(request),
  ({ request }) => fake.fetch(request),
);
const server = setupServer(own, other);
beforeAll(() => server.listen({ onUnhandledFrame: "error" }));
afterEach(() => {
  server.resetHandlers();
  fake.reset();
});
afterAll(() => server.close());
const library = createLibrary({ baseUrl, token: "secret", retry: false, onDeprecated: false });

test("MSW responds with the fake's examples and mocks, also to requests without a client", async () => {
  expect(await library.getBook({ id: 1n }).orThrow()).toEqual({ id: 1n, title: "Emma" });
  fake.mock("getBook", { status: 404 });
  expect((await library.getBook({ id: 2n })).status).toBe(404);
  fake.mock("getBook", ({ path }) => ({ status: 200, body: { id: path.id, title: "Three" } }));
  const response = await fetch(`${baseUrl}/books/3`, { headers: { Authorization: "Bearer any" } });
  expect(await response.json()).toEqual({ id: 3, title: "Three" });
  expect(fake.requestsTo("getBook").map(({ path }) => path.id)).toEqual([1n, 2n, 3n]);
  fake.verify();
});

test("a mock that throws HttpResponse.error() is a network error", async () => {
  fake.mock("getBook", () => {
    throw HttpResponse.error() as unknown;
  });
  expect(await library.getBook({ id: 1n })).toMatchObject({ status: 0, error: { code: "network_error" } });
});

test("MSW passes requests that are no operation's to the next handlers, and reports those without one", async () => {
  expect(await (await fetch(`${baseUrl}/other`)).text()).toBe("other");
  const report = vi.spyOn(console, "error").mockImplementation(() => {});
  await expect(fetch(`${baseUrl}/lost`)).rejects.toThrow("fetch failed");
  expect(report.mock.calls.join()).toContain(`GET ${baseUrl}/lost`);
  report.mockRestore();
  server.use(http.get(`${baseUrl}/books/:id`, () => HttpResponse.json({ id: 9, title: "Nine" })));
  expect(await library.getBook({ id: 1n }).orThrow()).toEqual({ id: 9n, title: "Nine" });
  expect([fake.requests, fake.violations]).toEqual([[], []]);
});

test("a request that breaks the contract fails the test by verify()", async () => {
  expect((await library.addBook({} as never)).ok).toBe(false);
  expect(() => fake.verify()).toThrow(
    'addBook: the request breaks the contract at /body: Instance does not have required property "title".',
  );
});
