import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";

const readme = readFileSync(join(import.meta.dirname, "../README.md"), "utf8");
const features = readme.slice(readme.indexOf("## Features of OpenAPI"), readme.indexOf("## Names"));
const rows = Array.from(
  features.matchAll(/^\| (.+) \| `([\w.-]+)`: (.+) \|$/gm),
  ([, feature, file, title]) => [feature!, file!, title!] as const,
);

describe("the README's table of features", () => {
  test("has rows of both kinds", () => {
    expect(rows.length).toBeGreaterThan(20);
  });

  test.each(rows)("%s: %s has the test", (_feature, file, title) => {
    const path = join(import.meta.dirname, file);
    expect(existsSync(path)).toBe(true);
    expect(readFileSync(path, "utf8").replaceAll(/`\$\{[^}]*\}`/g, "%s")).toContain(title);
  });
});
