import { describe, expect, test } from "vitest";
import { responseValidator, ConformanceError, exampleRequests } from "../src/conformance/conformance.ts";
import { document } from "./fixtures/kennel.ts";

test("exampleRequests returns one valid request for each operation, as sent over HTTP", () => {
  const headers = { "content-type": "application/json", "x-kennel": "xx" };
  expect(exampleRequests(document)).toEqual([
    { operationId: "findDogs", method: "GET", target: "/dogs?yard=x", headers: {}, body: undefined },
    { operationId: "addDog", method: "POST", target: "/dogs", headers, body: '{"name":"x","legs":0}' },
  ]);
});

test("exampleRequests combines the parameters of one place", () => {
  const parameter = (place: string, name: string) => ({ in: place, name, required: true, schema: { type: "integer" } });
  const names = ["a", "b"];
  const parameters = ["query", "cookie", "header"].flatMap((place) => names.map((name) => parameter(place, name)));
  const get = { operationId: "x", parameters, responses: {} };
  expect(exampleRequests({ openapi: "3.1.0", paths: { "/x": { get } } })).toEqual([
    {
      operationId: "x",
      method: "GET",
      target: "/x?a=1&b=1",
      headers: { a: "1", b: "1", cookie: "a=1; b=1" },
      body: undefined,
    },
  ]);
});

describe("responseValidator", () => {
  const validateResponse = responseValidator(document);
  const received = (status: number, body: unknown, headers: Record<string, string> = {}) => ({
    status,
    headers: new Headers({ "Content-Type": "application/json", ...headers }),
    text: body === undefined ? "" : JSON.stringify(body),
  });

  test.each([
    ["a declared success", "GET", "/dogs?yard=x", received(200, [], { "X-Total": "0" })],
    ["a declared success of HEAD", "HEAD", "/dogs?yard=x", received(200, undefined, { "X-Total": "0" })],
    ["a declared failure", "POST", "/dogs?", received(400, { code: "no" })],
    ["OPTIONS of a declared path", "OPTIONS", "/dogs", received(204, undefined)],
    ["a failure of an undeclared path", "GET", "/cats", received(404, { code: "no" })],
    ["HEAD of an undeclared path", "HEAD", "/cats", { status: 404, headers: new Headers(), text: "" }],
  ])("accepts %s", async (_, method, target, answer) => {
    await expect(validateResponse({ method, target }, answer)).resolves.toBeUndefined();
  });

  test.each([
    ["an undeclared success", "GET", "/dogs", received(204, undefined, { "X-Total": "0" })],
    ["a success without a declared header", "GET", "/dogs", received(200, [])],
    ["a body that violates the schema", "GET", "/dogs", received(200, [{ name: 1 }], { "X-Total": "0" })],
    ["a failure that violates the schema", "GET", "/dogs", received(400, {})],
    ["a success of an undeclared path", "GET", "/cats", received(200, [])],
    ["a success of an undeclared method", "DELETE", "/dogs", received(200, [])],
    ["a success of an undeclared method, without a body", "DELETE", "/dogs", received(204, undefined)],
    ["OPTIONS with a body", "OPTIONS", "/dogs", received(200, {})],
    ["OPTIONS of an undeclared path", "OPTIONS", "/cats", received(204, undefined)],
    ["a failure that is not JSON", "GET", "/cats", { ...received(404, ""), text: "<h1>" }],
  ])("rejects %s", async (_, method, target, answer) => {
    await expect(validateResponse({ method, target }, answer)).rejects.toThrow(ConformanceError);
  });
});
