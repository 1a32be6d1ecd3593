import { randomOf } from "@platform/test-support/random";

/** The median and the range of a series. */
export interface Spread {
  median: number;
  min: number;
  max: number;
}

/** Returns the median and the range of a series, `NaN` of an empty one. */
export function spreadOf(figures: number[]): Spread {
  const sorted = figures.toSorted((a, b) => a - b);
  const at = (index: number): number => sorted.at(index) ?? Number.NaN;
  const { length } = sorted;
  return { median: (at(Math.floor((length - 1) / 2)) + at(Math.floor(length / 2))) / 2, min: at(0), max: at(-1) };
}

/** Returns the spread of the ratios of two series, round by round, so that a slow round does not distort it. */
export function ratioOf(series: number[], base: number[]): Spread {
  return spreadOf(series.map((figure, round) => figure / base[round]!));
}

/** Formats a spread as `0.98 (0.95–1.02)`. */
export function show({ median, min, max }: Spread, digits = 2): string {
  return `${median.toFixed(digits)} (${min.toFixed(digits)}–${max.toFixed(digits)})`;
}

/** Returns `count` of the items in a random order. The same seed and items give the same sample. */
export function sampleOf<Item>(items: readonly Item[], count: number, seed: number): Item[] {
  const random = randomOf(seed);
  const ranked = items.map((item) => ({ item, rank: random() })).toSorted((one, other) => one.rank - other.rank);
  return ranked.slice(0, count).map(({ item }) => item);
}
