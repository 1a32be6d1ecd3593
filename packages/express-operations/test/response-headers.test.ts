import { on } from "node:events";
import express from "express";
import { describe, expect, test } from "vitest";
import { implement, type Violation } from "../src/index.ts";
import { anyJson } from "./echo.ts";
import { listen } from "./listen.ts";

describe("headers of responses", () => {
  const text = { schema: { type: "string" } };
  const responses = { 204: { description: "", headers: { "Set-Cookie": text, Link: text } } };
  const document = {
    openapi: "3.1.0",
    info: { title: "t", version: "1" },
    paths: { "/x": { get: { operationId: "x", responses } } },
  };

  /** Responds with these headers, checks the response, and returns the violations. */
  async function send(headers: object, checkResponses: "always" | "off" = "always") {
    const violations: Violation[] = [];
    const onViolation = (violation: Violation) => void violations.push(violation);
    const handlers = { x: () => ({ status: 204, headers }) } as never;
    await using server = await listen(express().use(implement()({ document, handlers, checkResponses, onViolation })));
    const response = await fetch(`${server.baseUrl}/x`);
    return { headers: response.headers, faults: violations.map(({ pointer, message }) => `${pointer} ${message}`) };
  }

  test("a list of cookies becomes one line for each", async () => {
    const cookies = ["a=1; Expires=Wed, 21 Oct 2026 07:28:00 GMT", "b=2"];
    const { headers, faults } = await send({ "Set-Cookie": cookies });
    expect([headers.getSetCookie(), faults]).toEqual([cookies, []]);
    expect((await send({ "Set-Cookie": "a=1" })).headers.getSetCookie()).toEqual(["a=1"]);
  });

  test("a list for another header violates the document", async () => {
    expect((await send({ Link: ["</a>", "</b>"] })).faults).toEqual(["/headers/Link must be string"]);
    expect((await send({ "Set-Cookie": [1] })).faults).not.toEqual([]);
  });

  test("an undeclared header is a violation of a checked response, and otherwise named in a warning once", async () => {
    const { headers, faults } = await send({ "X-Checked": "1" });
    expect([headers.get("X-Checked"), faults]).toEqual([null, ["/headers/X-Checked is not declared"]]);

    const warnings = on(process, "warning");
    await send({ "X-First": "1", "X-Missing": undefined }, "off");
    await send({ "X-First": "2" }, "off");
    await send({ "X-Last": "1" }, "off");
    const found: string[] = [];
    for await (const [{ message, code }] of warnings as AsyncIterable<[Error & { code: string }]>) {
      if (code === "UNDECLARED_HEADER") found.push(message);
      if (message.includes("X-Last")) break;
    }
    const warning = (name: string) =>
      `The handler of "x" returned 204 with the header ${name}, which is not sent. Declare the header in the document, or leave it out.`;
    expect(found).toEqual([warning("X-First"), warning("X-Last")]);
  });
});

describe("headers of deprecated operations", () => {
  const path = (name: string) => ({ in: "path", name, required: true, schema: { type: "string" } });
  const paths = (more: object) => ({
    "/old/{id}": {
      get: { operationId: "old", deprecated: true, parameters: [path("id")], responses: anyJson, ...more },
    },
    "/new/{id}": { get: { operationId: "new", parameters: [path("id")], responses: anyJson } },
    "/other/{name}": { get: { operationId: "other", parameters: [path("name")], responses: anyJson } },
  });

  describe("a deprecated operation", () => {
    test("sends Deprecation, Sunset and a link to its successor with 200, 304 and 404 only", async () => {
      const dates = { "x-deprecated-at": "2026-01-01", "x-sunset": "2027-01-01T12:00:00Z", "x-successor": "new" };
      const ok = { ...anyJson[200], headers: { ETag: { schema: { type: "string" } } } };
      const responses = { 200: ok, 404: anyJson[200], 409: anyJson[200] };
      const old = ({ path: { id } }: { path: { id: string } }) => {
        if (id === "broken") throw new Error("broken");
        return { status: /^\d+$/.test(id) ? Number(id) : 200, body: {} };
      };
      const handlers = { old, new: old, other: old } as never;
      const document = { openapi: "3.1.0", paths: paths({ ...dates, responses }) };
      await using server = await listen(implement()({ document, handlers }));
      const get = (url: string, headers = {}) => fetch(server.baseUrl + url, { headers });
      const { headers } = await get("/old/a%2Fb");
      expect(headers.get("Deprecation")).toBe("@1767225600");
      expect(headers.get("Sunset")).toBe("Fri, 01 Jan 2027 12:00:00 GMT");
      expect(headers.get("Link")).toBe('</new/a%2Fb>; rel="successor-version"');
      const announced = async (response: Promise<Response>) => {
        const { status, headers: sent } = await response;
        return [status, ["Deprecation", "Sunset", "Link"].every((name) => sent.has(name)), sent.has("Deprecation")];
      };
      expect(await announced(get("/old/a", { "If-None-Match": headers.get("ETag")! }))).toEqual([304, true, true]);
      expect(await announced(get("/old/404"))).toEqual([404, true, true]);
      expect(await announced(get("/old/409"))).toEqual([409, false, false]);
      expect(await announced(get("/old/a?unknown=1"))).toEqual([400, false, false]);
      expect(await announced(get("/old/a", { Accept: "text/html" }))).toEqual([406, false, false]);
      expect(await announced(get("/old/broken"))).toEqual([500, false, false]);
      expect(await announced(get("/new/a"))).toEqual([200, false, false]);
    });

    test("sends the link to its successor together with the links of its handler", async () => {
      const headers = { Link: { schema: { type: "string" } } };
      const old = {
        "x-deprecated-at": "2026-01-01",
        "x-successor": "new",
        responses: { 200: { ...anyJson[200], headers } },
      };
      const answer = () => ({ status: 200, headers: { Link: '</a>; rel="next"' }, body: {} });
      const handlers = { old: answer, new: answer, other: answer } as never;
      await using server = await listen(implement()({ document: { openapi: "3.1.0", paths: paths(old) }, handlers }));
      const response = await fetch(`${server.baseUrl}/old/a`);
      expect(response.headers.get("Link")).toBe('</new/a>; rel="successor-version", </a>; rel="next"');
      expect(response.headers.get("Deprecation")).toBe("@1767225600");
    });

    test("sends the links of its handler and all other headers if it has no successor", async () => {
      const headers = { Link: { schema: { type: "string" } } };
      const old = { "x-deprecated-at": "2026-01-01", responses: { 200: { ...anyJson[200], headers } } };
      const answer = () => ({ status: 200, headers: { Link: '</a>; rel="next"' }, body: {} });
      const handlers = { old: answer, new: answer, other: answer } as never;
      await using server = await listen(implement()({ document: { openapi: "3.1.0", paths: paths(old) }, handlers }));
      const { headers: sent } = await fetch(`${server.baseUrl}/old/a`);
      const names = ["Deprecation", "Link", "Content-Type", "Content-Length"];
      expect(names.map((name) => sent.get(name))).toEqual(["@1767225600", '</a>; rel="next"', "application/json", "2"]);
    });

    test.each([
      [{ "x-deprecated-at": "soon" }, 'Operation "old": x-deprecated-at is not a date such as 2030-12-05.'],
      [{ "x-sunset": "2030-13-01" }, 'Operation "old": x-sunset is not a date such as 2030-12-05.'],
      [{ "x-successor": "newest" }, 'Operation "old": x-successor names "newest", which the document does not have.'],
      [
        { "x-successor": "other" },
        'Operation "old": the path of its x-successor has a parameter "name" that its own path lacks.',
      ],
    ])("stops the start with %o", (more, message) => {
      const echo = () => ({ status: 200, body: {} });
      const handlers = { old: echo, new: echo, other: echo } as never;
      expect(() => implement()({ document: { openapi: "3.1.0", paths: paths(more) }, handlers })).toThrow(message);
    });
  });
});
