import express from "express";
import { expect, test } from "vitest";
import { runConformance } from "../src/conformance/conformance.ts";
import { operationsOf } from "openapi-document";
import { implement } from "../src/index.ts";
import { anyJson } from "./echo.ts";
import { listen } from "./listen.ts";

const form = (schema: object) => ({ content: { "application/x-www-form-urlencoded": { schema } } });
const pattern = (source: string) => ({ type: "string", minLength: 0, pattern: source });

/** Operations of kinds that public documents have. Each was once a false positive of the checks. */
const paths = {
  "/tags/{arn}": {
    post: {
      operationId: "emptyPatterns",
      parameters: [
        { name: "arn", in: "path", required: true, schema: pattern("^[a-z:]*$") },
        { name: "since", in: "query", required: true, schema: pattern("^\\d*$") },
      ],
    },
  },
  "/jobs#Action=start?now": { get: { operationId: "marksInTheTemplate" } },
  "/flows": {
    post: {
      operationId: "optionalForm",
      requestBody: form({ type: "object", properties: { name: { type: "string" } }, additionalProperties: false }),
    },
  },
  "/flows/one": {
    put: {
      operationId: "formOfOneField",
      requestBody: form({ type: "object", properties: { name: { type: "string" } }, required: ["name"] }),
    },
  },
  "/labels": {
    put: {
      operationId: "mapOfOne",
      requestBody: {
        required: true,
        content: {
          "application/json": {
            schema: { type: "object", minProperties: 2, additionalProperties: { type: "string", format: "date" } },
          },
        },
      },
    },
  },
};

test("the checks pass for operations of the kinds that public documents have", async () => {
  const document = { openapi: "3.0.3", info: { title: "t", version: "1" }, paths };
  for (const { operation } of operationsOf(document)) operation.responses = anyJson;
  const handlers = Object.fromEntries(operationsOf(document).map(({ id }) => [id, () => ({ status: 200, body: 1 })]));
  const implementation = implement()({ document, handlers: handlers as never });
  await using server = await listen(express().enable("strict routing").use(implementation));
  const { failures, unchecked, passed } = await runConformance(document, { baseUrl: server.baseUrl });
  expect({ failures, unchecked }).toEqual({ failures: {}, unchecked: {} });
  expect(passed).toBeGreaterThan(40);
});
