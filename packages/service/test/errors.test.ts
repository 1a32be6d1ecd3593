import { Problem, PROBLEM_CODES } from "express-operations";
import { describe, expect, test } from "vitest";
import { errorBody, ERRORS } from "../src/errors.ts";
import { errorCodeOf } from "../src/http/parser-errors.ts";
import { isStub, stub, stubsIn } from "../src/stub.ts";
import { startThings } from "../testing/start-things.ts";

describe("errors", () => {
  test("express-operations rejects requests with codes of ERRORS", () => {
    for (const [status, code] of Object.entries(PROBLEM_CODES)) expect(ERRORS[code].status).toBe(Number(status));
  });

  test("an error body has the status of its code", () => {
    expect(errorBody("not_found", "Gone.")).toEqual({ code: "not_found", message: "Gone.", status: 404 });
  });

  test("a Problem keeps its code and message, and any other error becomes internal_error", async () => {
    const secret = Object.assign(new Error("password=hunter2"), { status: 418, code: "EACCES" });
    let thrown: unknown;
    await using things = await startThings({
      before: () => {
        throw thrown;
      },
    });
    const bodyFor = async (error: unknown) => {
      thrown = error;
      return (await things.request("/things")).json();
    };
    expect(await bodyFor(secret)).toEqual(errorBody("internal_error"));
    expect(await bodyFor(undefined)).toEqual(errorBody("internal_error"));
    const gone = new Problem(404, "not_found", "No such thing.");
    expect(await bodyFor(gone)).toEqual(errorBody("not_found", "No such thing."));
  });
});

describe("stubs", () => {
  test("a stub responds with 501 that names the operation", async () => {
    const failure: unknown = await stub()
      .handler({ operationId: "listThings" })
      .catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(Problem);
    expect(failure).toMatchObject({
      status: 501,
      code: "not_implemented",
      message: "The operation listThings is not implemented yet.",
    });
  });

  test("stubs are found among handlers", () => {
    const handlers = { listThings: stub(), addThing: () => {}, getThing: stub() };
    expect(stubsIn(handlers)).toEqual(["listThings", "getThing"]);
    expect([isStub(handlers.addThing), isStub(undefined)]).toEqual([false, false]);
  });
});

describe("errors of Node's parser", () => {
  /** Returns an error of the parser. `|` marks the position in the last piece of input where the parser stopped. */
  function parserError(code: string, packet?: string, reason?: string) {
    const error = Object.assign(new Error("Parse Error"), { code, ...(reason !== undefined && { reason }) });
    if (packet === undefined) return error;
    const bytesParsed = packet.indexOf("|");
    return Object.assign(error, { rawPacket: Buffer.from(packet.replace("|", ""), "latin1"), bytesParsed });
  }

  test.each([
    ["in a target", "GET /xx|xx HTTP/1.1\r\n", "uri_too_long"],
    ["in a target after another request", "GET / HTTP/1.1\r\nHost: x\r\n\r\nPOST /xx|xx", "uri_too_long"],
    ["in a target with bytes beyond ASCII", "GET /\xe9\xe9|\xe9", "uri_too_long"],
    ["after a target that began in an earlier piece", "| HTTP/1.1\r\nHost: x\r\n", "uri_too_long"],
    ["in a target with a colon", "GET http://x:80/|x", "uri_too_long"],
    ["in a piece without a start or an end of the target", "xx|xx", "headers_too_large"],
    ["in a piece that ends like a request line", "xx|xx HTTP/1.1\r\n", "headers_too_large"],
    ["in a header", "GET / HTTP/1.1\r\nX: xx|xx\r\n", "headers_too_large"],
    ["in a header with a value like a request line", "GET / HTTP/1.1\r\nX: GET /x|x\r\n", "headers_too_large"],
    ["in a header that ends like a request line", "GET / HTTP/1.1\r\nX-Y: x| HTTP/1.1\r\n", "headers_too_large"],
    ["in a header without its name", "xx GET|", "headers_too_large"],
    ["in an unknown place", undefined, "headers_too_large"],
  ])("the error code of a head that becomes too large %s", (_, packet, code) => {
    expect(errorCodeOf(parserError("HPE_HEADER_OVERFLOW", packet))).toBe(code);
  });

  test.each([
    ["not parsed", "|BREW /x HTTP/1.1\r\n", "not_implemented"],
    ["parsed in part", "GET|S /x HTTP/1.0\n", "not_implemented"],
    ["parsed completely", "GETS| /x HTTP/1.1\r\n", "not_implemented"],
    ["not a token", "|BR{W /x HTTP/1.1\r\n", "invalid_request"],
    ["in a line without a version", "|BREW /x\r\n", "invalid_request"],
    ["in a line without an end", "|BREW /x HTTP/1.1", "invalid_request"],
    ["in a line without a target", "|BREW  HTTP/1.1\r\n", "invalid_request"],
    ["in a line with a fourth part", "|BREW /x y HTTP/1.1\r\n", "invalid_request"],
    ["without a packet", undefined, "invalid_request"],
  ])("the error code of an unknown method, %s", (_, packet, code) => {
    expect(errorCodeOf(parserError("HPE_INVALID_METHOD", packet))).toBe(code);
  });

  test.each([
    ["HPE_INVALID_CONSTANT", "Invalid method for HTTP/x.x request", "not_implemented"],
    ["HPE_INVALID_CONSTANT", "Expected HTTP/", "invalid_request"],
    ["HPE_INVALID_CONSTANT", "Expected what is no Invalid method", "invalid_request"],
    ["HPE_INVALID_CONSTANT", undefined, "invalid_request"],
    ["ERR_HTTP_REQUEST_TIMEOUT", undefined, "request_timeout"],
    ["HPE_INVALID_HEADER_TOKEN", "Invalid method", "invalid_request"],
  ])("the error code of %s with the reason %s", (code, reason, answer) => {
    expect(errorCodeOf(parserError(code, undefined, reason))).toBe(answer);
  });
});
