import { expect, test } from "vitest";
// cspell:ignore Anull
import { exampleRequests } from "../src/conformance/conformance.ts";
import { operationsOf } from "openapi-document";
import { unsupportedFeatures } from "../src/validation/unsupported.ts";

const inQuerystring = (name: string, content: object = { "application/json": {} }) => ({
  name,
  in: "querystring",
  content,
});
const unsupported = (item: object, openapi = "3.2.0", isBodyStreamed = false) => {
  const document = { openapi, paths: { "/x": item } };
  return operationsOf(document).flatMap((entry) => unsupportedFeatures(document, entry, { isBodyStreamed }));
};

test.each([
  ["BREW", /^Operation "one" has the method BREW, which Node's HTTP server does not accept/],
  ["Copy", /^Operation "one" has the method Copy, which Node's HTTP server does not accept/],
  ["CONNECT", /^Operation "one" has the method CONNECT, which Node's HTTP server does not accept/],
  ["POST", /^Operation "one" has the method POST in additionalOperations: move it to the field post\.$/],
  ["QUERY", /^Operation "one" has the method QUERY in additionalOperations: move it to the field query\.$/],
])("the additional operation %s is refused", (method, sentence) => {
  const found = unsupported({ additionalOperations: { [method]: { operationId: "one" } } });
  expect(found).toEqual([expect.stringMatching(sentence)]);
});

test.each([
  [[inQuerystring("a"), inQuerystring("b")], "has 2 parameters in querystring: declare one."],
  [[inQuerystring("a", {})], 'has the querystring parameter "a" without one media type: give it content.'],
  [
    [inQuerystring("a", { "application/json": {}, "text/plain": {} })],
    'has the querystring parameter "a" without one media type: give it content.',
  ],
])("the parameters %j are refused", (parameters, fault) => {
  expect(unsupported({ get: { operationId: "one", parameters } })).toEqual([`Operation "one" ${fault}`]);
});

test("the parts of a streamed form are validated, so that its itemSchema is refused", () => {
  const fault =
    'Operation "one" has itemSchema in its request body multipart/form-data, which is not validated: remove it.';
  const content = { "multipart/form-data": { itemSchema: {} }, "multipart/mixed": { itemSchema: {} } };
  expect(unsupported({ post: { operationId: "one", requestBody: { content } } }, "3.2.0", true)).toEqual([fault]);
});

test("documents of other versions are not searched for features of OpenAPI 3.2", () => {
  const content = { "application/jsonl": { itemSchema: {} } };
  const item = { post: { requestBody: { content } }, query: {}, additionalOperations: { BREW: {} } };
  expect(unsupported(item, "3.1.2")).toEqual([]);
  expect(operationsOf({ openapi: "3.1.2", paths: { "/x": item } }).map(({ method }) => method)).toEqual(["post"]);
  expect(operationsOf({ openapi: "3.2.1", paths: { "/x": item } })).toHaveLength(3);
});

test("examples have their value in dataValue, and a whole query is written by its media type", () => {
  const target = (mediaType: string, dataValue: unknown) => {
    const parameter = {
      ...inQuerystring("all", { [mediaType]: {} }),
      required: true,
      examples: { one: { dataValue } },
    };
    const paths = { "/x": { get: { parameters: [parameter] } } };
    return exampleRequests({ openapi: "3.2.0", paths })[0]!.target;
  };
  expect(target("application/x-www-form-urlencoded", { foo: "a + b", bar: [true, 1] })).toBe(
    "/x?foo=a+%2B+b&bar=true&bar=1",
  );
  expect(target("application/json", { numbers: [1, 2], flag: null })).toBe(
    "/x?%7B%22numbers%22%3A%5B1%2C2%5D%2C%22flag%22%3Anull%7D",
  );
  expect(target("application/jsonpath", "$.a.b[1:1]")).toBe("/x?%24.a.b%5B1%3A1%5D");
});

test("references by $self and to media types that lead to each other are found, and the given document stays as it is", () => {
  const ref = (name: string) => ({ $ref: `https://a.example/o#/components/mediaTypes/${name}` });
  const document = {
    openapi: "3.2.0",
    $self: "https://a.example/o",
    paths: { "/x": { post: { requestBody: { required: true, content: { "application/json": ref("Alias") } } } } },
    components: { mediaTypes: { Alias: ref("Text"), Text: { schema: { type: "string", const: "hello" } } } },
  };
  const before = structuredClone(document);
  expect(exampleRequests(document)[0]!.body).toBe('"hello"');
  expect(document).toEqual(before);
});

test.each([
  [{ A: { $ref: "#/components/mediaTypes/B" }, B: { $ref: "#/components/mediaTypes/A" } }, "leads back to itself"],
  [{ A: { $ref: "other.json#/components/mediaTypes/A" } }, "leaves the document"],
  [{}, "points at nothing"],
])("a media type %j without a target is an error at start", (mediaTypes, message) => {
  const content = { "application/json": { $ref: "#/components/mediaTypes/A" } };
  const paths = { "/x": { post: { requestBody: { content } } } };
  const document = { openapi: "3.2.0", paths, components: { mediaTypes } };
  expect(() => exampleRequests(document)).toThrow(message);
});
