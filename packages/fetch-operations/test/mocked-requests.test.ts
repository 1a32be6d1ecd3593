import { describe, expect, test } from "vitest";
import { contractOf, type ContractViolation, type OperationContract } from "../src/testing/contract.ts";
import { readRequest } from "../src/testing/request.ts";
import { read } from "./test-api.ts";

const shop = contractOf({ openapi: "3.1.1" }, new Map());

describe("readRequest", () => {
  const schema = { type: "integer" };
  const contract = {
    ...read,
    path: /\/a\/([^/]+)\/([^/]+)$/,
    pathParameters: ["first", "second"],
    parameters: [
      { name: "second", in: "path", required: true, schema },
      { name: "first", in: "path", required: true, schema: {} },
      { name: "X-Zone", in: "header", required: true, schema },
    ],
    requestBody: { content: { "application/json": { schema } } },
    security: [[{ type: "http", scheme: "bearer" }]],
  } as unknown as OperationContract;
  const headers = { Authorization: "Bearer k", "X-Zone": "5" };
  const ask = async (given: Record<string, string>, body?: string, more: object = {}, path = "/a/x%20y/2") => {
    const request = new Request(`http://x${path}`, {
      method: "POST",
      headers: given,
      ...(body !== undefined && { body }),
    });
    return await readRequest(shop, { ...contract, ...more }, request).catch(
      (violation: ContractViolation) => `${violation.pointer}: ${violation.message}`,
    );
  };

  test("returns each value in its place", async () => {
    const json = { ...headers, "Content-Type": "APPLICATION/JSON ; charset=utf-8" };
    expect(await ask(json, "7")).toMatchObject({
      operationId: "getPet",
      path: { first: "x y", second: 2 },
      query: {},
      body: 7,
    });
    expect(await ask({ ...headers, Authorization: "bearer k" })).toMatchObject({ body: undefined });
    expect(await ask({ "X-Zone": "5" }, undefined, { security: [] })).toMatchObject({ body: undefined });
    expect(await ask(headers, "", { requestBody: undefined })).toMatchObject({ body: undefined });
  });

  test.each<[given: Record<string, string>, body: string | undefined, more: object, violation: RegExp]>([
    [
      { "X-Zone": "5" },
      undefined,
      {},
      /^\/headers\/Authorization: .*The API key is missing\. Send it as a bearer token\.$/,
    ],
    [{ ...headers, Authorization: "x Bearer k" }, undefined, {}, /^\/headers\/Authorization/],
    [{ ...headers, Authorization: "Bearer a b" }, undefined, {}, /^\/headers\/Authorization/],
    [{ Authorization: "Bearer k" }, undefined, {}, /^\/headers\/X-Zone: .*The required parameter is missing\.$/],
    [{ ...headers, "X-Zone": "x" }, undefined, {}, /^\/headers\/X-Zone/],
    [headers, "7", {}, /^\/headers\/Content-Type: .*The content type is text\/plain\. Send application\/json\.$/],
    [{ ...headers, "Content-Type": "application/json" }, "x", {}, /^\/body: .*The body is not JSON: /],
    [{ ...headers, "Content-Type": "application/json" }, '"x"', {}, /^\/body: /],
    [
      headers,
      undefined,
      { requestBody: { required: true, content: {} } },
      /^\/headers\/Content-Type: .*The content type is none\./,
    ],
  ])("throws for the headers %j and the body %j", async (given, body, more, violation) => {
    expect(await ask(given, body, more)).toMatch(violation);
  });
});
