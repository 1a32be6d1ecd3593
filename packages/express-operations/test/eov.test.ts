import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { describe, expect, test } from "vitest";
import { EOV_READ, requestEov, responseEov } from "../src/eov.ts";
import type { Subject } from "../src/request/subject.ts";

const require = createRequire(import.meta.url);

test("the installed version of express-openapi-validator is the one that src/eov.ts was written for", async () => {
  const main = require.resolve("express-openapi-validator");
  const { version } = JSON.parse(await readFile(new URL("../package.json", `file://${main}`), "utf8")) as {
    version: string;
  };
  const message = `Its source has changed. Compare dist/ of ${EOV_READ} and ${version} at the places that src/eov.ts lists, run all tests of this package, and then name ${version} in EOV_READ.`;
  expect(version, message).toBe(EOV_READ);
});

const string = { type: "string" };
const cat = { type: "object", required: ["kind"], properties: { kind: string } };

/** Returns a document with one operation. */
function documentOf(operation: object) {
  const document = { openapi: "3.0.3", info: { title: "", version: "" }, paths: { "/at": { post: operation } } };
  return { ...document, components: { schemas: { Cat: cat, Dog: cat } } };
}

function subjectOf(query: Record<string, string>, body?: unknown, contentType = "application/json"): Subject {
  const originalUrl = `/?${Object.entries(query)
    .map((pair) => pair.join("="))
    .join("&")}`;
  const headers = { "content-type": contentType };
  return { method: "POST", originalUrl, path: "/", headers, params: {}, query, body };
}

describe("the internals that src/eov.ts relies on are unchanged", () => {
  const json = (schema: object) => ({
    requestBody: { required: false, content: { "application/json": { schema } } },
    responses: {},
  });

  test("compiled schemas are found by content type", async () => {
    const { compiled } = await requestEov(documentOf(json(cat)), "/at", "post", [undefined, "application/json"]);
    for (const type of [undefined, "application/json"]) {
      expect(compiled.get(type)).toEqual({ parameters: expect.any(Function), body: expect.any(Function) });
    }
  });

  test("faults have keyword, place and schema", async () => {
    const { validate } = await requestEov(documentOf(json(cat)), "/at", "post", ["application/json"]);
    expect(validate(subjectOf({}, { kind: 1 }))).toMatchObject([
      { keyword: "type", location: "body", path: ["kind"], params: { type: "string" }, schema: string },
    ]);
    expect(validate(subjectOf({}, { kind: "x" }))).toEqual([]);
  });

  test.each([
    ["emptyValue", { q: "" }],
    ["reservedCharacter", { q: "a:b" }],
  ])("the error %s of EOV is identified by its text", async (keyword, query) => {
    const parameters = [{ name: "q", in: "query", schema: string }];
    const { validate } = await requestEov(documentOf({ parameters, responses: {} }), "/at", "post", [undefined]);
    expect(validate(subjectOf(query))).toMatchObject([{ keyword, location: "query", path: ["q"] }]);
  });

  test("the error of EOV for a discriminator is identified by its text", async () => {
    const oneOf = [{ $ref: "#/components/schemas/Cat" }, { $ref: "#/components/schemas/Dog" }];
    const schema = { oneOf, discriminator: { propertyName: "kind" } };
    const { validate } = await requestEov(documentOf(json(schema)), "/at", "post", ["application/json"]);
    expect(validate(subjectOf({}, { kind: "Cow" }))).toMatchObject([
      { keyword: "discriminator", location: "body", path: ["kind"], params: { allowedValues: ["Cat", "Dog"] } },
    ]);
  });

  test("multer parses a form", async () => {
    const schema = { type: "object", properties: { name: string, file: { type: "string", format: "binary" } } };
    const operation = { requestBody: { content: { "multipart/form-data": { schema } } }, responses: {} };
    const { readMultipart } = await requestEov(documentOf(operation), "/at", "post", ["multipart/form-data"]);
    const form = new FormData();
    form.set("name", "Rex");
    form.set("file", new Blob(["woof"], { type: "text/plain" }), "rex.txt");
    const sent = new Request("http://localhost", { method: "POST", body: form });
    const bytes = Buffer.from(await sent.clone().arrayBuffer());
    const subject = subjectOf({}, bytes, sent.headers.get("Content-Type")!);
    subject.headers["content-length"] = String(bytes.length);
    const read = await readMultipart(subject);
    expect(read).toMatchObject({
      body: { name: "Rex" },
      files: [{ field: "file", name: "rex.txt", contentType: "text/plain", bytes: Buffer.from("woof") }],
    });
  });

  test("the validation of a response returns the errors of this response", async () => {
    const responses = { 200: { description: "", content: { "application/json": { schema: cat } } } };
    const document = documentOf({});
    const validate = await responseEov({ ...document, paths: { "/at": { get: { responses } } } }, "/at");
    expect(await validate(200, { kind: "x" })).toEqual([]);
    expect(await validate(200, { kind: 1 })).toMatchObject([{ path: "/response/kind", message: "must be string" }]);
  });
});
