import { once } from "node:events";
import { connect } from "node:net";
import express from "express";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { runConformance } from "../src/conformance/conformance.ts";
import { implement, Problem, problemDetails, type ProblemFormat } from "../src/index.ts";
import { createProblem } from "../src/problem.ts";
import { anyJson, serveEcho } from "./echo.ts";
import { listen } from "./listen.ts";

describe("a problem", () => {
  describe("an error response", () => {
    const { stackTraceLimit } = Error;
    beforeEach(() => void (Error.stackTraceLimit = 7));
    afterEach(() => void (Error.stackTraceLimit = stackTraceLimit));

    test("has no stack, and does not change Error.stackTraceLimit", () => {
      expect(createProblem(400, "No.").stack).not.toContain("\n    at ");
      expect(Error.stackTraceLimit).toBe(7);
      expect(new Error("a fault").stack).toContain("\n    at ");
    });

    test("has its status, the code of its status, its message and the given headers only", () => {
      expect(createProblem(405, "No.", { Allow: "GET" })).toMatchObject({
        name: "Problem",
        status: 405,
        code: "method_not_allowed",
        message: "No.",
        headers: { Allow: "GET" },
      });
      expect(new Problem(418, "teapot", "No.").headers).toEqual({});
    });

    test("to a request does not change Error.stackTraceLimit", async () => {
      await using server = await serveEcho({ "/x": { get: { operationId: "x", responses: anyJson } } });
      for (const path of ["/nothing", "/x?other=1"]) await fetch(server.baseUrl + path);
      expect(Error.stackTraceLimit).toBe(7);
    });
  });

  test("a rejection after the head was sent closes the connection, and does not reach the application's error handler", async () => {
    const errors: unknown[] = [];
    const document = { openapi: "3.1.0", paths: { "/x": { get: { operationId: "x", responses: anyJson } } } };
    const app = express()
      .use((_request, response, next) => {
        response.writeHead(200, { "Content-Length": "10" }).flushHeaders();
        next();
      })
      .use(implement()({ document, handlers: { x: () => ({ status: 200, body: {} }) } as never }))
      .use(((error, _request, response, _next) => {
        errors.push(error);
        response.destroy();
      }) as express.ErrorRequestHandler);
    await using server = await listen(app);
    const { hostname, port } = new URL(server.baseUrl);
    const socket = connect(Number(port), hostname);
    let received = "";
    socket.on("data", (text) => (received += String(text))).on("error", () => {}); // the connection may be reset
    socket.write("GET /nothing HTTP/1.1\r\nHost: x\r\n\r\n");
    await once(socket, "close");
    expect(received).toMatch(/^HTTP\/1.1 200 /);
    expect(received.split("\r\n\r\n")[1]).toBe("");
    expect(errors).toEqual([]);
  });

  test("each error response contains its status and the code of that status", async () => {
    const requestBody = { required: true, content: { "application/json": {} } };
    const security = [{ bearer: ["read"] }];
    const components = { securitySchemes: { bearer: { type: "http", scheme: "bearer" } } };
    const operation = (operationId: string, more: object) => ({ operationId, responses: anyJson, ...more });
    await using server = await serveEcho(
      {
        "/x": { post: operation("x", { requestBody }) },
        "/mine": {
          get: operation("mine", { security }),
          put: operation("write", { security: [{ bearer: ["write"] }] }),
        },
      },
      { components },
    );
    const ask = async (method: string, path: string, headers: Record<string, string> = {}, body?: string) => {
      const response = await fetch(server.baseUrl + path, { method, headers, ...(body !== undefined && { body }) });
      const { code, status } = (await response.json()) as { code: string; status: number };
      return [response.status, status, code];
    };
    const json = { "Content-Type": "application/json" };
    expect(await ask("POST", "/x", json, "{")).toEqual([400, 400, "invalid_request"]);
    expect(await ask("GET", "/mine")).toEqual([401, 401, "unauthorized"]);
    expect(await ask("PUT", "/mine", { Authorization: "Bearer good" })).toEqual([403, 403, "forbidden"]);
    expect(await ask("GET", "/nothing")).toEqual([404, 404, "not_found"]);
    expect(await ask("PATCH", "/x")).toEqual([405, 405, "method_not_allowed"]);
    expect(await ask("POST", "/x", { ...json, Accept: "text/html" }, "{}")).toEqual([406, 406, "not_acceptable"]);
    expect(await ask("POST", "/x", json, `"${"x".repeat(65_535)}"`)).toEqual([413, 413, "payload_too_large"]);
    expect(await ask("POST", "/x", { "Content-Type": "text/html" }, "x")).toEqual([415, 415, "unsupported_media_type"]);
  });
});

describe("the format of problems", () => {
  const problem = { description: "", content: { "application/problem+json": { schema: { required: ["detail"] } } } };
  const json = { description: "", content: { "application/json": { schema: { required: ["message"] } } } };
  const body = {
    type: "object",
    required: ["name"],
    properties: { name: { type: "string" }, tags: { type: "array", items: { type: "integer" } } },
  };
  const requestBody = { content: { "application/json": { schema: body } } };
  const limit = { name: "limit", in: "query", schema: { type: "integer", maximum: 9 } };
  const filter = {
    name: "filter",
    in: "query",
    style: "deepObject",
    schema: { type: "object", properties: { size: { type: "integer" } } },
  };
  const operation = (operationId: string, responses: object) => ({
    operationId,
    parameters: [limit, filter],
    requestBody,
    responses: { ...anyJson, ...responses },
  });
  const paths = {
    "/details": { post: operation("details", { default: problem }) },
    "/plain": { post: operation("plain", { "4XX": json }) },
    "/both": { post: operation("both", { 400: { ...json, content: { ...problem.content, ...json.content } } }) },
  };

  const document = { openapi: "3.1.0", info: { title: "t", version: "1" }, paths };

  function serve(problemFormat?: ProblemFormat) {
    const handler = () => ({ status: 200, body: {} });
    const handlers = { details: handler, plain: handler, both: handler } as never;
    return listen(express().use(implement()({ document, handlers, ...(problemFormat && { problemFormat }) })));
  }

  async function refusal(path: string, problemFormat?: ProblemFormat, sent: unknown = { name: 1 }) {
    await using server = await serve(problemFormat);
    const headers = { "Content-Type": "application/json" };
    const response = await fetch(server.baseUrl + path, { method: "POST", headers, body: JSON.stringify(sent) });
    const type = response.headers.get("Content-Type");
    return { status: response.status, type, headers: response.headers, body: (await response.json()) as object };
  }

  describe("the media type of an error response", () => {
    test("is the declared one by default, and JSON if both or neither are declared", async () => {
      expect(await refusal("/details")).toMatchObject({ status: 400, type: "application/problem+json" });
      for (const path of ["/plain", "/both", "/nothing"])
        expect((await refusal(path)).type, path).toBe("application/json");
    });

    test.each([
      ["of 404 is that of most operations of the document", "/nothing", "GET", 404],
      ["of 405 is that of the operations of its path", "/x", "DELETE", 405],
    ])("%s", async (_name, path, method, status) => {
      const other = { get: { operationId: "other", responses: { ...anyJson, 405: json } } };
      const own = { get: { operationId: "own", responses: { ...anyJson, "4XX": problem } } };
      const all = {
        "/y": other,
        "/x": own,
        "/z": { get: { operationId: "last", responses: { ...anyJson, default: problem } } },
      };
      const handler = () => ({ status: 200, body: {} });
      const handlers = { own: handler, other: handler, last: handler } as never;
      const options = { document: { openapi: "3.1.0", paths: all }, handlers };
      await using server = await listen(express().use(implement()(options)));
      const response = await fetch(server.baseUrl + path, { method });
      expect([response.status, response.headers.get("Content-Type")]).toEqual([status, "application/problem+json"]);
      expect(await response.json()).toMatchObject({ status, detail: expect.any(String) });
      expect((await fetch(`${server.baseUrl}/y`, { method: "DELETE" })).headers.get("Content-Type")).toBe(
        "application/json",
      );
    });

    test("of an undeclared status is that of the operation's other errors", async () => {
      const content = { "application/problem+json; charset=utf-8": {} };
      const responses = { ...anyJson, 400: { ...problem, content } };
      const all = { "/x": { get: { operationId: "x", responses } } };
      const handlers = { x: () => ({ status: 200, body: {} }) } as never;
      await using server = await listen(
        express().use(implement()({ document: { openapi: "3.1.0", paths: all }, handlers })),
      );
      const response = await fetch(`${server.baseUrl}/x`, { headers: { Accept: "text/csv" } });
      expect([response.status, response.headers.get("Content-Type")]).toEqual([406, "application/problem+json"]);
    });

    test('is application/problem+json everywhere with "problem+json", and nowhere with "json"', async () => {
      for (const path of ["/details", "/plain", "/nothing"]) {
        expect((await refusal(path, "problem+json")).type, path).toBe("application/problem+json");
        expect((await refusal(path, "json")).type, path).toBe("application/json");
      }
    });

    test("is chosen by a function, with status, headers and body, by operation", async () => {
      const seen: unknown[] = [];
      const format: ProblemFormat = ({ status, message }, context) => {
        seen.push(context);
        if (context.operationId !== "details") return { body: { message } };
        const type = "application/vnd.shop.error+json";
        return { status: status + 22, headers: { "Retry-After": "1" }, contentType: type, body: { fault: message } };
      };
      const refused = await refusal("/details", format);
      expect(refused).toMatchObject({
        status: 422,
        type: "application/vnd.shop.error+json",
        body: { fault: 'Body field "name" must be a string.' },
      });
      expect(refused.headers.get("Retry-After")).toBe("1");
      expect(await refusal("/nothing", format)).toMatchObject({ status: 404, type: "application/json" });
      expect(seen).toEqual([
        { operationId: "details", contentTypes: ["application/problem+json"] },
        { operationId: undefined, contentTypes: ["application/json"] },
      ]);
    });
  });

  describe("the problem details of RFC 9457", () => {
    test("name the faults of parameters and body", async () => {
      const { body: details } = await refusal("/details?limit=10", "declared", { name: "x", tags: [1, "a"] });
      expect(details).toEqual({
        type: "about:blank",
        title: "Bad Request",
        status: 400,
        detail: 'Query parameter "limit" must be at most 9.',
        code: "invalid_request",
        errors: [
          {
            in: "query",
            parameter: "limit",
            pointer: "",
            code: "maximum",
            detail: 'Query parameter "limit" must be at most 9.',
          },
          { in: "body", pointer: "/tags/1", code: "type", detail: 'Body field "tags.1" must be an integer.' },
        ],
      });
    });

    test.each<[target: string, sent: unknown, fault: object]>([
      ["?limit=1&limit=2", { name: "x" }, { in: "query", parameter: "limit", pointer: "", code: "type" }],
      ["?filter[size]=a", { name: "x" }, { in: "query", parameter: "filter", pointer: "/size", code: "type" }],
      ["?other=1", { name: "x" }, { in: "query", parameter: "other", pointer: "", code: "syntax" }],
      ["?%3Cb%3E=1", { name: "x" }, { in: "query", pointer: "", code: "syntax" }],
      ["", {}, { in: "body", pointer: "/name", code: "required" }],
      ["", [], { in: "body", pointer: "", code: "type" }],
    ])("describe the fault of %s %j", async (target, sent, fault) => {
      const { body: details } = await refusal(`/details${target}`, "declared", sent);
      const { errors, detail } = details as { errors: object[]; detail: string };
      expect(errors).toEqual([{ ...fault, detail }]);
    });

    test("have no errors for other problems, and a title for every status", () => {
      expect(problemDetails(new Problem(599, "odd", "Odd."))).toEqual({
        type: "about:blank",
        title: "Error",
        status: 599,
        detail: "Odd.",
        code: "odd",
      });
    });
  });

  test("the conformance checks accept problem details where they are declared", async () => {
    const conforms = async (format: ProblemFormat) => {
      await using server = await serve(format);
      return (await runConformance(document, { baseUrl: server.baseUrl })).failures;
    };
    expect(await conforms("declared")).toEqual({});
    expect((await conforms("json"))["details"]!.join("\n")).toContain(
      "as application/problem+json, got application/json",
    );
  });

  test("the declared response of a status is looked up at its first error alone", async () => {
    let looked = 0;
    const refused = {
      description: "",
      get content() {
        looked++;
        return problem.content;
      },
    };
    const get = { operationId: "get", parameters: [limit], responses: { ...anyJson, 400: refused } };
    const limited = { ...document, paths: { "/limited": { get } } };
    const handlers = { get: () => ({ status: 200, body: {} }) } as never;
    await using server = await listen(express().use(implement()({ document: limited, handlers })));
    const ask = async () => (await fetch(`${server.baseUrl}/limited?limit=x`)).status;
    expect(await ask()).toBe(400);
    const atFirst = looked;
    expect(await ask()).toBe(400);
    expect(looked).toBe(atFirst);
  });
});
