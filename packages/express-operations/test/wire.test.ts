import { describe, expect, test } from "vitest";
import { responseValidator, ConformanceError, exampleRequests } from "../src/conformance.ts";
import { document } from "./fixtures/kennel.ts";

test("exampleRequests gives one valid request for each operation, as it is sent", () => {
  const headers = { "content-type": "application/json", "x-kennel": "xx" };
  expect(exampleRequests(document)).toEqual([
    { operationId: "findDogs", method: "GET", target: "/dogs?yard=x", headers: {}, body: undefined },
    { operationId: "addDog", method: "POST", target: "/dogs", headers, body: '{"name":"x","legs":0}' },
  ]);
});

test("parameters of one place stand beside each other", () => {
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
    ["its HEAD", "HEAD", "/dogs?yard=x", received(200, undefined, { "X-Total": "0" })],
    ["a declared failure", "POST", "/dogs?", received(400, { code: "no" })],
    ["OPTIONS of a declared path", "OPTIONS", "/dogs", received(204, undefined)],
    ["a failure of no operation", "GET", "/cats", received(404, { code: "no" })],
    ["HEAD of no operation", "HEAD", "/cats", { status: 404, headers: new Headers(), text: "" }],
  ])("passes %s", async (_, method, target, answer) => {
    await expect(validateResponse({ method, target }, answer)).resolves.toBeUndefined();
  });

  test.each([
    ["a success that is not declared", "GET", "/dogs", received(204, undefined, { "X-Total": "0" })],
    ["a success without a declared header", "GET", "/dogs", received(200, [])],
    ["a body against the schema", "GET", "/dogs", received(200, [{ name: 1 }], { "X-Total": "0" })],
    ["a failure against the schema", "GET", "/dogs", received(400, {})],
    ["a success where there is no path", "GET", "/cats", received(200, [])],
    ["a success where there is no such method", "DELETE", "/dogs", received(200, [])],
    ["a success of no such method, without a body", "DELETE", "/dogs", received(204, undefined)],
    ["OPTIONS with a body", "OPTIONS", "/dogs", received(200, {})],
    ["OPTIONS of no path", "OPTIONS", "/cats", received(204, undefined)],
    ["a failure that is no JSON", "GET", "/cats", { ...received(404, ""), text: "<h1>" }],
  ])("fails %s", async (_, method, target, answer) => {
    await expect(validateResponse({ method, target }, answer)).rejects.toThrow(ConformanceError);
  });
});
