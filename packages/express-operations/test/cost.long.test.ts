import { expect, test } from "vitest";
import { operationsOf } from "openapi-document";
import type { OpenApiDocument } from "../src/index.ts";
import { costsOf, print, serve } from "./cost.ts";
import { document as bookshop } from "./fixtures/bookshop.ts";
import { githubDocument } from "./fixtures/github.ts";
import { document as kennel } from "./fixtures/kennel.ts";
import { document as market } from "./fixtures/market.ts";
import { document as zoo } from "./fixtures/zoo.ts";

const TIMEOUT = { timeout: 900_000 };

test.each(Object.entries<OpenApiDocument>({ market, zoo, kennel, bookshop }))(
  "%s: no request takes more time than its size justifies",
  TIMEOUT,
  async (_name, document) => {
    const report = await costsOf(document, serve(document));
    print(report);
    expect(report.faults).toEqual([]);
    expect(report.costs.length).toBeGreaterThan(1_000);
  },
);

test("no streamed body takes more time than its size justifies", TIMEOUT, async () => {
  const isMeasured = (id: string, input: string) => id === "addStall" && input.startsWith("body ");
  const report = await costsOf(market, serve(market, { isStreamed: true }), { isMeasured });
  print(report);
  expect(report.faults).toEqual([]);
  expect(report.costs.length).toBeGreaterThan(150);
});

test("GitHub: no request to every 40th operation takes more time than its size justifies", TIMEOUT, async () => {
  const github = githubDocument();
  const chosen = new Set(operationsOf(github).flatMap(({ id }, at) => (at % 40 === 0 ? id : [])));
  let count = 0;
  const isMeasured = (id: string) => chosen.has(id) && count++ % 4 === 0;
  const report = await costsOf(github, serve(github), { isMeasured });
  print(report);
  expect(report.faults).toEqual([]);
  expect(report.costs.length).toBeGreaterThan(5_000);
});
