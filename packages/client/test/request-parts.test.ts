import { describe, expect, test } from "vitest";
import { requestPartsOf } from "../src/request-parts.ts";
import type { Operation } from "../src/operation.ts";

const read: Operation<"getPet"> = {
  id: "getPet",
  method: "GET",
  path: "/a",
  parameters: {},
  success: [200],
  isRetryable: true,
};

describe("arguments by name", () => {
  test.each<[operation: Pick<Operation, "parameters" | "hasFields">, input: object | undefined, message: object]>([
    [{ parameters: {} }, undefined, { params: {}, body: undefined }],
    [
      { parameters: { id: "path", q: "query" } },
      { id: 1, q: 2, other: 3 },
      { params: { path: { id: 1 }, query: { q: 2, other: 3 } }, body: undefined },
    ],
    [
      { parameters: { body: "body", K: "header" } },
      { body: [1], K: "k" },
      { params: { header: { K: "k" } }, body: [1] },
    ],
    [
      { parameters: { id: "path" }, hasFields: true },
      { id: 1, name: "Rex", toString: 2 },
      { params: { path: { id: 1 } }, body: { name: "Rex", toString: 2 } },
    ],
    [{ parameters: {}, hasFields: true }, {}, { params: {}, body: {} }],
  ])("of %j: %j become parameters and body", (operation, input, message) => {
    expect(requestPartsOf({ ...read, ...operation }, input)).toEqual(message);
  });
});
