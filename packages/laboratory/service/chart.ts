import type { Spread } from "../measuring/figures.ts";

/** Ratios of requests per second of CPU time, by work and stack. */
type Ratios = Record<string, Record<string, Spread>>;

const THEMES = {
  light: { text: "#1f2328", faint: "#d1d9e0" },
  dark: { text: "#f0f6fc", faint: "#3d444d" },
};

/**
 * The charts by their files: the stack that is 1, and the colours of the others. These are distinct on both backgrounds and for
 * colour-blind readers.
 */
const CHARTS = {
  chart: {
    base: "Fastify as documented",
    colours: {
      "this service": "#0072b2",
      "Fastify, same techniques": "#56b4e9",
      "Hono as documented": "#cc79a7",
      "Express + EOV + Kysely as documented": "#d55e00",
    },
  },
  "chart-native": {
    base: "bare Fastify",
    colours: {
      "this service": "#0072b2",
      "Fastify, same techniques": "#56b4e9",
      "bare Go": "#009e73",
      "bare axum": "#d55e00",
    },
  },
};

/** Narrow enough to be read on a phone. */
const WIDTH = 400;
const [LEFT, RIGHT, BAR, GAP, TOP] = [108, 34, 14, 22, 124];

/**
 * Returns an SVG bar chart of ratios, with the two decimals of the tables. A bar ends at the median. The line over its end goes
 * from the lowest to the highest round. Stacks without ratios are left out.
 */
export function chart(name: keyof typeof CHARTS, ratios: Ratios, theme: keyof typeof THEMES): string {
  const { text, faint } = THEMES[theme];
  const { base, colours } = CHARTS[name];
  const works = Object.entries(ratios);
  const stacks = Object.entries(colours).filter(([label]) => works.every(([, all]) => label in all));
  const most = Math.ceil(Math.max(...works.flatMap(([, all]) => stacks.map(([label]) => all[label]!.max))));
  const x = (ratio: number): number => LEFT + (Number(ratio.toFixed(2)) / most) * (WIDTH - LEFT - RIGHT);
  const group = stacks.length * BAR + GAP;
  const height = TOP + works.length * group;
  const heading = "Requests per second of CPU time";
  const lines = [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${height}" viewBox="0 0 ${WIDTH} ${height}" font-family="system-ui, sans-serif" font-size="12" fill="${text}">`,
    `<title>${heading}, where ${base} is 1</title>`,
    `<text x="0" y="16" font-size="14" font-weight="600">${heading}</text>`,
    `<text x="0" y="34">${base} is 1</text>`,
    `<text x="0" y="50" font-size="11">bars: median; lines: lowest to highest</text>`,
    ...stacks.map(
      ([label, colour], at) =>
        `<rect y="${60 + at * 16}" width="10" height="10" fill="${colour}"/><text x="16" y="${69 + at * 16}">${label}</text>`,
    ),
    ...works.flatMap(([work, all], row) => {
      const top = TOP + row * group + GAP / 2;
      const bars = stacks.map(([label, colour], at) => {
        const { median, min, max } = all[label]!;
        const y = top + at * BAR;
        const middle = y + BAR / 2 - 1;
        return [
          `<rect x="${LEFT}" y="${y}" width="${(x(median) - LEFT).toFixed(1)}" height="${BAR - 2}" fill="${colour}"/>`,
          `<path d="M${x(min).toFixed(1)} ${middle}H${x(max).toFixed(1)}" stroke="${text}"/>`,
          `<text x="${(x(max) + 4).toFixed(1)}" y="${y + BAR - 3}" font-size="11">${median.toFixed(2)}</text>`,
        ].join("");
      });
      return [`<text x="0" y="${top + (stacks.length * BAR) / 2 + 4}">${work}</text>`, ...bars];
    }),
    `<path d="M${x(1)} ${TOP}V${height}" stroke="${faint}" stroke-dasharray="3 3"/>`,
    `<path d="M${LEFT} ${TOP}V${height}" stroke="${faint}"/>`,
    `</svg>`,
  ];
  return `${lines.join("\n")}\n`;
}

/** Returns the path of a chart in a theme. */
export function chartFile(name: keyof typeof CHARTS, theme: keyof typeof THEMES): string {
  return `${import.meta.dirname}/../../../apps/server/docs/${name}-${theme}.svg`;
}
