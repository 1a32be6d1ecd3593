import { describe, expect, test } from "vitest";
import type { OperationDescription } from "../src/operation.ts";
import { requestPartsOf } from "../src/request/request-parts.ts";
import { read } from "./test-api.ts";

describe("arguments by name", () => {
  test.each<
    [
      operation: Pick<OperationDescription, "parameters" | "hasFields"> & Partial<OperationDescription>,
      input: object | undefined,
      message: object,
    ]
  >([
    [{ parameters: {} }, undefined, { target: "/a" }],
    [
      { path: "/a/{id}", parameters: { id: "path", q: "query" } },
      { id: 1, q: 2, other: 3 },
      { target: "/a/1?q=2&other=3" },
    ],
    [
      { parameters: { body: "body", K: "header" } },
      { body: [1], K: "k" },
      { target: "/a", headers: { K: "k" }, body: [1] },
    ],
    [
      { path: "/a/{id}", parameters: { id: "path" }, hasFields: true },
      { id: 1, name: "Rex", toString: 2 },
      { target: "/a/1", body: { name: "Rex", toString: 2 } },
    ],
    [{ parameters: {}, hasFields: true }, {}, { target: "/a", body: {} }],
  ])("of %j: %j become parameters and body", (operation, input, message) => {
    const { headers, target, body } = requestPartsOf({ ...read, ...operation }, input);
    expect({ headers, target, body }).toEqual({ headers: {}, body: undefined, ...message });
  });
});
