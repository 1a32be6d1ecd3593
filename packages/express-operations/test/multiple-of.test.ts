import { expect, test } from "vitest";
import { isMultipleOf } from "../src/eov/value-checks.ts";
import { responseCheck } from "../src/response/response-check.ts";
import { operationsOf } from "openapi-document";
import { anyJson, serveEcho } from "./echo.ts";

test.each([
  [19.99, 0.01, true],
  [-4.35, 0.01, true],
  [0, 0.01, true],
  [0.07, 0.1, false],
  [19.999, 0.01, false],
  [123_456_789.01, 0.01, true],
  [123_456_789.011, 0.01, false],
  [1e22, 0.001, true],
  [1e-7, 1e-8, true],
  [1.5e-7, 1e-7, false],
  [Number.MAX_VALUE, Number.MIN_VALUE, true],
  [7, 2.5, false],
  [7.5, 2.5, true],
  [1, 0, false],
])("%d is a multiple of %d: %s", (value, step, expected) => {
  expect(isMultipleOf(value, step)).toBe(expected);
});

test.each(["3.0.3", "3.1.0"])("prices in a query and a body of OpenAPI %s are multiples of 0.01", async (openapi) => {
  const price = { type: "number", multipleOf: 0.01 };
  const requestBody = { content: { "application/json": { schema: price } } };
  const post = {
    operationId: "x",
    parameters: [{ in: "query", name: "price", schema: price }],
    requestBody,
    responses: anyJson,
  };
  await using server = await serveEcho({ "/x": { post } }, { openapi });
  const send = async (query: string, body: string) => {
    const sent = { method: "POST", body, headers: { "Content-Type": "application/json" } };
    const response = await fetch(`${server.baseUrl}/x?price=${query}`, sent);
    return response.status === 200 ? 200 : ((await response.json()) as { message: string }).message;
  };
  expect(await send("19.99", "4.35")).toBe(200);
  expect(await send("19.999", "4.35")).toBe('Query parameter "price" must be a multiple of 0.01.');
  expect(await send("19.99", "4.355")).toBe("The request body must be a multiple of 0.01.");
});

test("a price in a checked response is a multiple of 0.01", async () => {
  const content = { "application/json": { schema: { type: "number", multipleOf: 0.01 } } };
  const paths = { "/x": { get: { operationId: "x", responses: { 200: { description: "", content } } } } };
  const document = { openapi: "3.1.0", info: { title: "t", version: "1" }, paths };
  const { response } = responseCheck(document, operationsOf(document)[0]!);
  const violationsOf = (body: unknown) => response({ status: 200, contentType: "application/json", body });
  expect(violationsOf(19.99)).toEqual([]);
  expect(violationsOf(19.999)).toMatchObject([{ pointer: "/body", message: "must be multiple of 0.01" }]);
});
