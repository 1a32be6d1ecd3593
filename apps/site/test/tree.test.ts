import { expect, test } from "vitest";
import { linkTo, pagesOfTree, publishedEntries } from "../src/pages.ts";
import { type Section, tree } from "../src/tree.ts";

test("the tree lists every page once, by task", () => {
  expect(tree.flatMap(pagesIn).toSorted()).toEqual(pagesOfTree().toSorted());
  expect(tree.map(({ text }) => text)).toEqual([
    "Start",
    "Contract",
    "Server",
    "Client",
    "Operate",
    "Govern",
    "Reference",
    "Background",
  ]);
});

function pagesIn({ pages }: Section): string[] {
  return pages.flatMap((page) => (typeof page === "string" ? page : pagesIn(page)));
}

test("every published entry has a page", () => {
  const names = [...publishedEntries().values()].flat().map(({ name }) => name);
  expect(names).toEqual(
    expect.arrayContaining(["express-operations", "express-operations/accept", "fetch-operations/parts/retry"]),
  );
  expect(names).not.toContain("@openapi-operations/service/testing"); // outside of src
});

test.each([
  ["README.md", "/"],
  ["ARCHITECTURE.md", "/ARCHITECTURE"],
  ["packages/client/README.md", "/packages/client/"],
  ["apps/site/generated/index.md", "/reference/"],
  ["apps/site/generated/express-operations.md", "/reference/express-operations/"],
  ["apps/site/generated/@petstore/client.md", "/reference/@petstore/client/"],
  ["apps/site/generated/@petstore/client/testing.md", "/reference/@petstore/client/testing"],
])("%s is at %s", (file, link) => {
  expect(linkTo(file)).toBe(link);
});
