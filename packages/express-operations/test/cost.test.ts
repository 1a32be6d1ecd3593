import { parse } from "node:querystring";
import express from "express";
import * as OpenApiValidator from "express-openapi-validator";
import { expect, test } from "vitest";
import { costsOf, faultsIn, serve } from "./cost.ts";
import { document } from "./fixtures/market.ts";
import { document as zoo } from "./fixtures/zoo.ts";

test("no request costs more than its size accounts for: names in brackets, and a sample of all other inputs", async () => {
  const isMeasured = (_operationId: string, input: string) =>
    /^query (undeclared|tags)\[k0\]=1/.test(input) || Math.random() < 1 / 80;
  expect(faultsIn(await costsOf(document, serve(document), isMeasured))).toEqual([]);
});

test("the search finds what express-openapi-validator does with names in brackets", async () => {
  const plain = OpenApiValidator.middleware({ apiSpec: structuredClone(zoo) as never, validateApiSpec: false });
  const handler = express().use(plain, ((_error, _request, response, _next) => {
    response.status(400).end();
  }) as express.ErrorRequestHandler);
  handler.set("query parser", (query: string) => parse(query, "&", "=", { maxKeys: 0 })); // Express's takes 1,000 names
  const isMeasured = (operationId: string, input: string) =>
    operationId === "findAnimals" && /^query limit(=aa|\[k0\]=1)/.test(input);
  const { costs, faults } = await costsOf(zoo, handler, isMeasured);
  expect(costs).toHaveLength(2);
  expect(faults).toEqual([
    expect.stringMatching(/^findAnimals: query limit\[k0\]=1&limit\[k1\]=1&… costs [\d.]+ (ms, more|times as much)/),
  ]);
});
