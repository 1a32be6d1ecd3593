import { randomOf } from "@platform/test-support/random";

/** Returns `count` of the items in a random order. The same seed and items give the same sample. */
export function sampleOf<Item>(items: readonly Item[], count: number, seed: number): Item[] {
  const random = randomOf(seed);
  const ranked = items.map((item) => ({ item, rank: random() })).toSorted((one, other) => one.rank - other.rank);
  return ranked.slice(0, count).map(({ item }) => item);
}
