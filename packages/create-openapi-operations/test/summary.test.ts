import { sep } from "node:path";
import { expect, test } from "vitest";
import { shortPath } from "../src/summary.ts";

test.each([
  ["/home/me/museum", "/home/me", "museum"],
  ["/home/me/museum", "/home/me/shop", "../museum"],
  ["/srv/museum", "/home/me/code/shop", "/srv/museum"],
  ["/home/me", "/home/me", "."],
])("the folder %s is shown from %s as %s", (folder, from, shown) => {
  expect(shortPath(folder, from).replaceAll(sep, "/")).toBe(shown);
});
