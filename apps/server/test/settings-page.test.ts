import { readFileSync } from "node:fs";
import { readSettings, variableOf } from "@openapi-operations/service/settings";
import { expect, test } from "vitest";
import { SETTINGS } from "../src/config.ts";

test("docs/settings.md has a row for each setting, with its default, and no other rows", () => {
  const page = readFileSync(new URL("../docs/settings.md", import.meta.url), "utf8");
  const [, table = ""] = page.split("| variable | default | meaning |");
  const rows = table.split("\n\n")[0]!.matchAll(/^\| `(\w+)` \| (`.*?`|unset) \| \S/gm);
  const documented = Object.fromEntries(Array.from(rows, ([, name, value]) => [name, value]));
  const defaults: Record<string, string | number | object | undefined> = readSettings(SETTINGS, {});
  const settings = Object.entries(defaults).map(([name, value]) => {
    return [variableOf(name), value === undefined ? "unset" : `\`${JSON.stringify(value).replaceAll('"', "")}\``];
  });
  expect(documented).toEqual(Object.fromEntries(settings));
});
