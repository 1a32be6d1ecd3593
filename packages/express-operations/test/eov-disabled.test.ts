import { RequestValidator } from "express-openapi-validator/dist/middlewares/openapi.request.validator.js";
import { afterEach, describe, expect, test, vi } from "vitest";
import { anyJson, serveEcho } from "./echo.ts";

/** The method with which express-openapi-validator (EOV) compiles schemas, and the private holders of the schemas. */
const compiler = RequestValidator.prototype as unknown as { buildMiddleware: (this: Holders) => void };
type Holders = Record<"ajv" | "ajvBody", { getSchema: () => unknown }>;

/** Makes EOV compile `schema` in place of each schema of a request. */
function replaceSchemas(schema: unknown): void {
  vi.spyOn(compiler, "buildMiddleware").mockImplementation(function disabled(this: Holders) {
    for (const holder of [this.ajv, this.ajvBody]) holder.getSchema = () => schema;
  });
}

afterEach(() => void vi.restoreAllMocks());

const integer = { type: "integer", maximum: 9 };
const object = { type: "object", properties: { size: integer } };
const parameter = (place: string, more: object = { schema: integer }) => ({ name: "p", in: place, ...more });
const body = (type: string) => ({ requestBody: { content: { [type]: { schema: object } } } });

/** An operation with one place for a value, and an invalid request for it. */
const OPERATIONS: [place: string, operation: object, target: string, init?: RequestInit][] = [
  ["path", { parameters: [parameter("path", { required: true, schema: integer })] }, "/path/10"],
  ["query", { parameters: [parameter("query")] }, "/query/x?p=10"],
  [
    "deepObject",
    { parameters: [parameter("query", { style: "deepObject", schema: object })] },
    "/deepObject/x?p[size]=10",
  ],
  ["exploded", { parameters: [parameter("query", { schema: object })] }, "/exploded/x?size=10"],
  [
    "content",
    { parameters: [parameter("query", { content: { "application/json": { schema: object } } })] },
    `/content/x?p=${encodeURIComponent('{"size":10}')}`,
  ],
  ["header", { parameters: [parameter("header")] }, "/header/x", { headers: { p: "10" } }],
  ["cookie", { parameters: [parameter("cookie")] }, "/cookie/x", { headers: { Cookie: "p=10" } }],
  [
    "json",
    body("application/json"),
    "/json/x",
    { body: '{"size":10}', headers: { "Content-Type": "application/json" } },
  ],
  ["form", body("application/x-www-form-urlencoded"), "/form/x", { body: new URLSearchParams({ size: "10" }) }],
  ["multipart", body("multipart/form-data"), "/multipart/x", { body: formOf({ size: "10" }) }],
  [
    "text",
    { requestBody: { content: { "text/plain": { schema: { type: "string", maxLength: 1 } } } } },
    "/text/x",
    { body: "10", headers: { "Content-Type": "text/plain" } },
  ],
];

function formOf(fields: Record<string, string>): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.set(name, value);
  return form;
}

const paths = Object.fromEntries(
  OPERATIONS.map(([place, operation]) => [
    place === "path" ? "/path/{p}" : `/${place}/x`,
    { post: { operationId: place, responses: anyJson, ...operation } },
  ]),
);

describe("an invalid value", () => {
  test.each(OPERATIONS)("in %s is rejected by the schemas of EOV alone", async (_, __, target, init) => {
    const status = async () => {
      await using server = await serveEcho(paths);
      return (await fetch(server.baseUrl + target, { method: "POST", ...init })).status;
    };
    expect(await status()).toBe(400);
    replaceSchemas(() => true);
    expect(await status()).toBe(200);
    replaceSchemas(undefined);
    expect(await status()).toBe(500);
  });
});
