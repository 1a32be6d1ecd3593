import { operationsOf } from "openapi-document";
import { expect, test } from "vitest";
import { credentialsOf, operationAt } from "../src/testing/credentials.ts";

const operation = (operationId: string, ...security: object[]) => ({ operationId, security });
const document = {
  openapi: "3.1.1",
  paths: {
    "/items": {
      get: operation("list", { key: [] }),
      post: operation("add", { head: [], crumb: [] }),
      put: operation("replace", { unknown: [] }, { user: [] }),
    },
    "/items/{itemId}": { get: operation("fetch", { oauth: ["read"] }) },
    "/items/new": { get: operation("blank", { certificate: [] }, {}) },
  },
  components: {
    securitySchemes: {
      key: { type: "apiKey", in: "query", name: "api key" },
      head: { type: "apiKey", in: "header", name: "X-Key" },
      crumb: { type: "apiKey", in: "cookie", name: "sid" },
      user: { type: "http", scheme: "Basic" },
      oauth: { type: "oauth2" },
      certificate: { type: "mutualTLS" },
    },
  },
};

const entries = operationsOf(document);

test.each([
  ["GET", "/items?x=1", { query: { "api key": "k" } }],
  ["HEAD", "/items", { query: { "api key": "k" } }],
  ["POST", "/items", { headers: { "X-Key": "h", Cookie: "sid=c" } }],
  ["PUT", "/items", { headers: { Authorization: "Basic YW5uOmE=" } }],
  ["GET", "/items/3", { headers: { Authorization: "Bearer t" } }],
  ["GET", "/items/new", {}],
])(
  "the credentials of %s %s are those of the first requirement for which there are secrets",
  (method, target, sent) => {
    const secrets = { key: "k", head: "h", crumb: "c", user: "ann:a", oauth: "t" };
    expect(credentialsOf(document, operationAt(entries, method, target)!, secrets)).toEqual({
      headers: {},
      query: {},
      ...sent,
    });
  },
);

test("an operation is found at its literal path before a template, and at none of its methods otherwise", () => {
  expect(operationAt(entries, "GET", "/items/new")!.id).toBe("blank");
  expect(operationAt(entries, "GET", "/none")).toBeUndefined();
  expect(operationAt(entries, "OPTIONS", "/items")).toBeUndefined();
});
