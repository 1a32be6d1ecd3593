import { type OperationEntry, operationsOf, resolve, type ResponseObject } from "openapi-document";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { implement } from "../src/index.ts";
import { compile, figure } from "./compile.ts";
import { githubDocument, githubTypes as types } from "./fixtures/github.ts";
import { handlerProgram } from "./handler-program.ts";
import { listen } from "./listen.ts";

describe("the document", () => {
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
});

describe("the types", () => {
  /** The compiler's budget for a program of all handlers. It limits counts, because times depend on the machine. */
  const BUDGET = { types: 97_000, instantiations: 380_000 };

  const document = githubDocument();
  const count = operationsOf(document).length;

  describe("the types over GitHub's document", () => {
    test(`${count} handlers that return every declared response compile within the budget`, () => {
      const output = compile(handlerProgram(document, types));
      expect(output.match(/error TS.*/g)).toBeNull();
      const [time, memory] = [figure(output, "Check time"), Math.round(figure(output, "Memory used") / 1024)];
      const cost = { types: figure(output, "Types"), instantiations: figure(output, "Instantiations") };
      console.log(`${count} handlers checked in ${time} s, with ${memory} MB:`, cost);
      expect(cost.types).toBeLessThan(BUDGET.types);
      expect(cost.instantiations).toBeLessThan(BUDGET.instantiations);
    });

    test(
      "TypeScript 5.9 compiles them (its time beside the same handlers without types is printed)",
      { timeout: 600_000 },
      () => {
        const typed = handlerProgram(document, types);
        const untyped = typed
          .replace("import { implement, type OpenApiDocument }", "import type { OpenApiDocument }")
          .replace(
            "implement<operations>()",
            "declare function implement(options: { document: OpenApiDocument; handlers: Record<string, (input: any) => unknown> }): void;\nimplement",
          );
        const times = [typed, untyped].map((program) => {
          const outputs = Array.from({ length: 5 }, () => compile(program, "TypeScript 5.9"));
          for (const output of outputs) expect(output.match(/error TS.*/g)).toBeNull();
          return outputs.map((output) => figure(output, "Total time")).toSorted((a, b) => a - b)[2]!;
        });
        const ratio = (times[0]! / times[1]!).toFixed(2);
        console.log(`TypeScript 5.9: ${times[0]} s with types, ${times[1]} s without: ${ratio} (medians of 5)`);
      },
    );

    test("the error for a wrong handler names its operation and status", () => {
      const wrong = '(input) => { if (input.requestPath === "") throw new Error(); return { status: 200, body: 1 }; }';
      const output = compile(handlerProgram(document, types, { "repos/get": wrong }));
      expect(output.match(/error TS/g)).toHaveLength(1);
      expect(output).toMatch(/error TS2322: .* is not assignable to type 'HandlerOf<"repos\/get", operations/);
      expect(output).toContain("Type 'number' is not assignable to type '{ id: ");
    });
  });
});
