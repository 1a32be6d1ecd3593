import { expect, test } from "vitest";
import { readableDocument } from "../src/openapi-3-2.ts";

test("a document without children that inherit from a parent that lists them is not copied", () => {
  const document = {
    openapi: "3.1.0",
    components: {
      schemas: { Cat: { allOf: [{ $ref: "#/components/schemas/Pet" }] }, Pet: { anyOf: [{ type: "object" }] } },
    },
  };
  expect(readableDocument(document)).toBe(document);
});
