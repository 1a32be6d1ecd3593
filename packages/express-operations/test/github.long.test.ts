import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type OperationEntry, operationsOf, resolve, type ResponseObject } from "openapi-document";
import { implement } from "../src/index.ts";
import { githubDocument } from "./fixtures/github.ts";
import { listen } from "./listen.ts";

const document = githubDocument();
const entries = operationsOf(document);
let received: Record<string, unknown> = {};

/** A handler that records its input and returns the first declared response, as empty as JSON allows. */
function recorder(entry: OperationEntry) {
  const [[status, node]] = Object.entries(entry.operation.responses ?? {}) as [[string, ResponseObject]];
  const { content = {} } = resolve<ResponseObject>(document, node);
  const [contentType] = Object.keys(content);
  return ({ path, query, body }: Record<string, unknown>) => {
    received = { operation: entry.id, path, query, body };
    if (contentType === undefined) return { status: Number(status) };
    return { status: Number(status), contentType, body: contentType.endsWith("json") ? {} : "" };
  };
}

describe(`GitHub's document of ${entries.length} operations`, () => {
  const handlers = Object.fromEntries(entries.map((entry) => [entry.id, recorder(entry)]));
  let server: Awaited<ReturnType<typeof listen>>;
  beforeAll(async () => void (server = await listen(implement()({ document, handlers: handlers as never }))));
  afterAll(() => server[Symbol.asyncDispose]());

  const send = async (path: string, init?: RequestInit) => {
    received = {};
    const response = await fetch(server.baseUrl + path, init);
    const text = await response.text();
    return { status: response.status, headers: response.headers, body: text === "" ? undefined : JSON.parse(text) };
  };
  const post = (path: string, body: unknown) =>
    send(path, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) });

  test("every operation compiles", async () => {
    expect(await implement()({ document, handlers: handlers as never, warm: true }).ready).toEqual([]);
  });

  test("every path is matched, among all other paths", async () => {
    const methods = Map.groupBy(entries, ({ path }) => path);
    for (const [path, group] of methods) {
      const { status, headers } = await send(path.replaceAll(/\{[^}]+\}/g, "0"), { method: "OPTIONS" });
      const allowed = headers.get("Allow")!.split(", ");
      expect({ path, status, allowed }).toEqual({
        path,
        status: 204,
        allowed: expect.arrayContaining(group.map(({ method }) => method.toUpperCase())) as string[],
      });
    }
  });

  test("handlers receive path parameters with their types and query parameters with their defaults", async () => {
    expect((await send("/repos/octo-org/hello%2Fworld/issues/7")).status).toBe(200);
    expect(received).toMatchObject({
      operation: "issues/get",
      path: { owner: "octo-org", repo: "hello/world", issue_number: 7 },
    });
    expect((await send("/repos/octo-org/hello/issues/comments?page=2")).status).toBe(200);
    expect(received).toMatchObject({
      operation: "issues/list-comments-for-repo",
      query: { page: 2, per_page: 30, sort: "created" },
    });
  });

  test("a body is validated by its schema, and reaches the handler as sent", async () => {
    const issue = { title: "Found a bug", labels: ["bug", { name: "urgent", color: null }], assignee: null };
    expect((await post("/repos/octo-org/hello/issues", issue)).status).toBe(201);
    expect(received).toMatchObject({ operation: "issues/create", body: issue });
    expect(await post("/repos/octo-org/hello/issues", { labels: [] })).toMatchObject({
      status: 400,
      body: { code: "invalid_request", message: 'Body field "title" is required.' },
    });
    expect(received).toEqual({});
  });

  test("invalid requests are rejected: 400, 404, 405, 415", async () => {
    expect(await send("/repos/octo-org/hello/issues/seven")).toMatchObject({
      status: 400,
      body: { message: 'Path parameter "issue_number" must be an integer in plain decimal digits, such as 10.' },
    });
    expect(await send("/repos/octo-org/hello/issues?state=ajar")).toMatchObject({
      status: 400,
      body: { message: expect.stringContaining('Query parameter "state" must be one of') as string },
    });
    expect(await send("/repos/octo-org/hello/nothing")).toMatchObject({ status: 404, body: { code: "not_found" } });
    const { status, headers } = await send("/repos/octo-org/hello/branches", { method: "POST", body: "x" });
    expect([status, headers.get("Allow")]).toEqual([405, "GET, HEAD, OPTIONS"]);
    expect((await send("/repos/octo-org/hello/issues", { method: "POST", body: "title" })).status).toBe(415);
  });
});
