import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { Settings } from "../src/config.ts";

test("docs/settings.md has a row for each setting, with its default, and no other rows", () => {
  const page = readFileSync(new URL("../docs/settings.md", import.meta.url), "utf8");
  const [, table = ""] = page.split("| variable | default | meaning |");
  const rows = table.split("\n\n")[0]!.matchAll(/^\| `(\w+)` \| (`.*?`|unset) \| \S/gm);
  const documented = Object.fromEntries(Array.from(rows, ([, name, value]) => [name, value]));
  const defaults = new Map(Object.entries(Settings.parse({}))) as Map<string, string | number>;
  const settings = Object.keys(Settings.shape).map((name) => {
    const value = defaults.get(name);
    return [name, value === undefined ? "unset" : `\`${value}\``];
  });
  expect(documented).toEqual(Object.fromEntries(settings));
});
