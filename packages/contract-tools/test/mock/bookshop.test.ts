import type { OpenApiDocument } from "openapi-document";
import { expect, test } from "vitest";
import { json, serve } from "./serve.ts";

const json200 = (schema: object, more: object = {}) => ({
  description: "",
  content: { "application/json": { schema, ...more } },
});
const Book = {
  type: "object",
  additionalProperties: false,
  required: ["isbn", "title", "addedAt"],
  properties: {
    isbn: { type: "string", readOnly: true },
    title: { type: "string" },
    price: { type: "integer" },
    addedAt: { type: "string", format: "date", readOnly: true, example: "2026-11-21" },
  },
};
const NewBook = {
  type: "object",
  required: ["title"],
  properties: {
    title: { type: "string" },
    price: { type: "integer" },
    notify: { type: "boolean", default: true, description: "Not a field of a book." },
  },
};
const book = { $ref: "#/components/schemas/Book" };
const body = { required: true, content: { "application/json": { schema: NewBook } } };
const shopId = { name: "shopId", in: "path", required: true, schema: { type: "integer" } };
const isbn = { name: "isbn", in: "path", required: true, schema: { type: "string" } };
const first = { isbn: "1", title: "Emma", price: 8, addedAt: "2026-01-01" };

/** Every kind of operation on a collection below another, without the contract's conventions for pages and failures. */
const bookshop: OpenApiDocument = {
  openapi: "3.0.3",
  paths: {
    "/shops/{shopId}/books": {
      parameters: [shopId],
      get: {
        operationId: "listBooks",
        responses: { 200: json200({ type: "array", items: { allOf: [book] } }, { example: [first] }) },
      },
      post: { operationId: "addBook", requestBody: body, responses: { 201: json200(book) } },
    },
    "/shops/{shopId}/books/{isbn}": {
      parameters: [shopId, isbn],
      get: { operationId: "getBook", responses: { 200: json200(book) } },
      put: { operationId: "replaceBook", requestBody: body, responses: { 200: json200(book) } },
      patch: {
        operationId: "changeBook",
        requestBody: { content: { "application/json": { schema: { ...NewBook, required: [] } } } },
        responses: { 200: json200(book) },
      },
      delete: { operationId: "removeBook", responses: { 204: { description: "" } } },
    },
    "/health": { get: { operationId: "getHealth", responses: { 200: json200({ type: "string", enum: ["fine"] }) } } },
    "/broken": {
      get: { operationId: "getBroken", responses: { 200: json200({ type: "integer" }, { example: "one" }) } },
    },
  },
  components: { schemas: { Book } },
};

test("a collection follows from the paths: list and fetch show each create, replace, change and remove", async () => {
  const { request } = await serve({ document: bookshop });
  const books = async (shop: number): Promise<unknown> => (await request(`/shops/${shop}/books`)).json();
  const second = await (await request("/shops/1/books", json({ title: "Persuasion", price: 9 }))).json();
  expect(second).toEqual({ isbn: "2", title: "Persuasion", price: 9, addedAt: "2026-11-21" });
  expect(await books(1)).toEqual([first, second]);
  expect(await books(2)).toEqual([first]); // another shop has books of its own

  const replaced = await request("/shops/1/books/2", json({ title: "Sanditon" }, { method: "PUT" }));
  expect(await replaced.json()).toEqual({ isbn: "2", title: "Sanditon", addedAt: "2026-11-21" });
  const changed = await request("/shops/1/books/1", json({ price: 5 }, { method: "PATCH" }));
  expect(await changed.json()).toEqual({ ...first, price: 5 });
  expect((await request("/shops/1/books/2", { method: "DELETE" })).status).toBe(204);
  expect((await request("/shops/1/books/2", { method: "DELETE" })).status).toBe(404);
  expect((await request("/shops/1/books/2")).status).toBe(404);
  expect(await books(1)).toEqual([{ ...first, price: 5 }]);
});

test("an operation without a collection returns a value that its schema allows", async () => {
  const { request } = await serve({ document: bookshop });
  expect(await (await request("/health")).json()).toBe("fine");
});

test("a client certificate is not asked for, and other schemes take any credential of their kind", async () => {
  const get = (operationId: string, security: object[]) => ({
    get: { operationId, security, responses: { 204: { description: "" } } },
  });
  const { request } = await serve({
    document: {
      openapi: "3.1.0",
      components: {
        securitySchemes: { certificate: { type: "mutualTLS" }, digest: { type: "http", scheme: "digest" } },
      },
      paths: { "/tls": get("tls", [{ certificate: [] }]), "/both": get("both", [{ certificate: [], digest: [] }]) },
    },
  });
  const statusOf = async (path: string, Authorization: string) =>
    (await request(path, { headers: { Authorization } })).status;
  expect(await statusOf("/tls", "")).toBe(204);
  expect(await statusOf("/both", 'Digest username="ada"')).toBe(204);
  expect(await statusOf("/both", "Bearer any-key")).toBe(401);
});

test("an example that breaks the document is not sent: the 500 names the position of the error", async () => {
  const { request } = await serve({ document: bookshop });
  const answer = await request("/broken");
  expect(answer.status).toBe(500);
  expect(((await answer.json()) as { message: string }).message).toBe(
    "The response 200 of getBroken breaks the document: /body must be integer.",
  );
});

test("a response has its read-only fields and its required headers, and no write-only fields", async () => {
  const schema = {
    type: "object",
    required: ["id", "isNew", "secret"],
    properties: {
      id: { type: "integer", minimum: 7, readOnly: true },
      isNew: { const: true },
      secret: { type: "string", writeOnly: true },
    },
  };
  const responses = { 200: { ...json200(schema), headers: { "X-Id": { required: true, schema: { const: "a" } } } } };
  const { request } = await serve({
    document: { openapi: "3.1.1", paths: { "/it": { get: { operationId: "getIt", responses } } } },
  });
  const answer = await request("/it");
  expect([answer.headers.get("X-Id"), await answer.json()]).toEqual(["a", { id: 7, isNew: true }]);
});

test("write-only fields of an example, or those that a client sends, are not in responses", async () => {
  const properties = { id: { type: "integer" }, name: { type: "string" }, secret: { type: "string", writeOnly: true } };
  const user = { type: "object", required: ["id", "name"], properties };
  const content = { "application/json": { schema: user } };
  const list = json200({ type: "array", items: user }, { example: [{ id: 1, name: "Ann", secret: "a" }] });
  const paths = {
    "/users": {
      get: { operationId: "listUsers", responses: { 200: list } },
      post: { operationId: "addUser", requestBody: { content }, responses: { 201: { description: "", content } } },
    },
  };
  const { request } = await serve({ document: { openapi: "3.1.1", paths } });
  const added = await request("/users", json({ id: 2, name: "Bo", secret: "b" }));
  expect([added.status, await added.json()]).toEqual([201, { id: 2, name: "Bo" }]);
  expect(await (await request("/users")).json()).toEqual([
    { id: 1, name: "Ann" },
    { id: 2, name: "Bo" },
  ]);
});
