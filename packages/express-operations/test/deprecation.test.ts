import { describe, expect, test } from "vitest";
import { implement } from "../src/index.ts";
import { anyJson, serveEcho } from "./echo.ts";
import { listen } from "./listen.ts";

const path = (name: string) => ({ in: "path", name, required: true, schema: { type: "string" } });
const paths = (more: object) => ({
  "/old/{id}": { get: { operationId: "old", deprecated: true, parameters: [path("id")], responses: anyJson, ...more } },
  "/new/{id}": { get: { operationId: "new", parameters: [path("id")], responses: anyJson } },
  "/other/{name}": { get: { operationId: "other", parameters: [path("name")], responses: anyJson } },
});

describe("a deprecated operation", () => {
  test("says since and until when, and leads to its successor, on refusals too", async () => {
    const dates = { "x-deprecated-at": "2026-01-01", "x-sunset": "2027-01-01T12:00:00Z", "x-successor": "new" };
    await using server = await serveEcho(paths(dates));
    for (const query of ["", "?unknown=1"]) {
      const { headers } = await fetch(`${server.baseUrl}/old/a%2Fb${query}`);
      expect(headers.get("Deprecation")).toBe("@1767225600");
      expect(headers.get("Sunset")).toBe("Fri, 01 Jan 2027 12:00:00 GMT");
      expect(headers.get("Link")).toBe('</new/a%2Fb>; rel="successor-version"');
    }
    expect((await fetch(`${server.baseUrl}/new/a`)).headers.get("Deprecation")).toBeNull();
  });

  test("leads to it beside the links that its handler gives", async () => {
    const headers = { Link: { schema: { type: "string" } } };
    const old = { "x-successor": "new", responses: { 200: { ...anyJson[200], headers } } };
    const answer = () => ({ status: 200, headers: { Link: '</a>; rel="next"' }, body: {} });
    const handlers = { old: answer, new: answer, other: answer } as never;
    await using server = await listen(implement()({ document: { openapi: "3.1.0", paths: paths(old) }, handlers }));
    const response = await fetch(`${server.baseUrl}/old/a`);
    expect(response.headers.get("Link")).toBe('</new/a>; rel="successor-version", </a>; rel="next"');
  });

  test.each([
    [{ "x-deprecated-at": "soon" }, 'Operation "old": x-deprecated-at is not a date such as 2030-12-05.'],
    [{ "x-sunset": "2030-13-01" }, 'Operation "old": x-sunset is not a date such as 2030-12-05.'],
    [{ "x-successor": "newest" }, 'Operation "old": x-successor names "newest", which the document does not have.'],
    [
      { "x-successor": "other" },
      'Operation "old": its x-successor has a path parameter "name" that it has not itself.',
    ],
  ])("does not start with %o", (more, message) => {
    const echo = () => ({ status: 200, body: {} });
    const handlers = { old: echo, new: echo, other: echo } as never;
    expect(() => implement()({ document: { openapi: "3.1.0", paths: paths(more) }, handlers })).toThrow(message);
  });
});
