/** The middle of some figures, and how far they go. */
export interface Spread {
  median: number;
  min: number;
  max: number;
}

/** The spread of a series. */
export function spreadOf(figures: number[]): Spread {
  const sorted = figures.toSorted((a, b) => a - b);
  return { median: sorted[Math.floor(sorted.length / 2)]!, min: sorted[0]!, max: sorted.at(-1)! };
}

/** The spread of one series to another, taken round by round, so that what slows a whole round does not show. */
export function ratioOf(series: number[], base: number[]): Spread {
  return spreadOf(series.map((figure, round) => figure / base[round]!));
}

/** A spread to read: `0.98 (0.95–1.02)`. */
export function show({ median, min, max }: Spread, digits = 2): string {
  return `${median.toFixed(digits)} (${min.toFixed(digits)}–${max.toFixed(digits)})`;
}
