import { expect, test } from "vitest";
import { operationsOf } from "../src/document.ts";
import type { OpenApiDocument } from "../src/index.ts";
import { costsOf, faultsIn, serve } from "./cost.ts";
import { document as bookshop } from "./fixtures/bookshop.ts";
import { githubDocument } from "./fixtures/github.ts";
import { document as kennel } from "./fixtures/kennel.ts";
import { document as market } from "./fixtures/market.ts";
import { document as zoo } from "./fixtures/zoo.ts";

const TIMEOUT = { timeout: 900_000 };

test.each(Object.entries<OpenApiDocument>({ market, zoo, kennel, bookshop }))(
  "%s: no input costs more than its size accounts for",
  TIMEOUT,
  async (_name, document) => {
    expect(faultsIn(await costsOf(document, serve(document)))).toEqual([]);
  },
);

test(
  "GitHub: no input of some operations, others each time, costs more than its size accounts for",
  TIMEOUT,
  async () => {
    const github = githubDocument();
    const ids = operationsOf(github).map(({ id }) => id);
    const chosen = new Set(Array.from({ length: 30 }, () => ids[Math.floor(Math.random() * ids.length)]));
    const report = await costsOf(github, serve(github), (id) => chosen.has(id) && Math.random() < 1 / 4);
    expect(report.costs.length).toBeGreaterThan(1_000);
    expect(faultsIn(report)).toEqual([]);
  },
);
