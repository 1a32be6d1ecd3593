import type { Label } from "./contenders.ts";
import type { Ratios } from "./sections.ts";
import type { WorkName } from "./works.ts";

const THEMES = {
  light: { text: "#1f2328", faint: "#d1d9e0" },
  dark: { text: "#f0f6fc", faint: "#3d444d" },
};

/** Colours that are distinct on both backgrounds and for colour-blind readers. */
const STACKS: [Label, string][] = [
  ["this service", "#0072b2"],
  ["Fastify, same techniques", "#56b4e9"],
  ["Hono as documented", "#cc79a7"],
  ["Express + EOV + Kysely as documented", "#d55e00"],
];

const WORKS: WorkName[] = ["list 20", "list 100", "get by id", "create", "refuse with 400", "refuse with 401"];
const HEADING = "Requests per second of CPU time, where Fastify as documented is 1";
const [LEFT, BAR, GAP, WIDTH, TOP] = [104, 14, 22, 720, 70];

/**
 * Returns an SVG bar chart of requests per second of CPU time, relative to Fastify as documented. A bar ends at the
 * median. The line over its end goes from the lowest to the highest round.
 */
export function chart(ratios: Ratios, theme: keyof typeof THEMES): string {
  const { text, faint } = THEMES[theme];
  const most = Math.ceil(Math.max(...STACKS.flatMap(([label]) => WORKS.map((work) => ratios[label][work].max))));
  const x = (ratio: number): number => LEFT + (ratio / most) * (WIDTH - LEFT - 60);
  const group = STACKS.length * BAR + GAP;
  const height = TOP + WORKS.length * group + 20;
  const lines = [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${height}" viewBox="0 0 ${WIDTH} ${height}" font-family="system-ui, sans-serif" font-size="12" fill="${text}">`,
    `<title>${HEADING}</title>`,
    `<text x="0" y="16" font-size="14" font-weight="600">${HEADING}</text>`,
    `<text x="${WIDTH}" y="59" text-anchor="end" font-size="11">bars: median; lines: lowest to highest</text>`,
    ...STACKS.map(([label, colour], at) => {
      const [left, top] = [at % 2 === 0 ? 0 : 220, at < 2 ? 32 : 50];
      return `<rect x="${left}" y="${top}" width="10" height="10" fill="${colour}"/><text x="${left + 16}" y="${top + 9}">${label}</text>`;
    }),
    ...WORKS.flatMap((work, row) => {
      const top = TOP + row * group + GAP / 2;
      const bars = STACKS.map(([label, colour], at) => {
        const { median, min, max } = ratios[label][work];
        const y = top + at * BAR;
        const middle = y + BAR / 2 - 1;
        return [
          `<rect x="${LEFT}" y="${y}" width="${(x(median) - LEFT).toFixed(1)}" height="${BAR - 2}" fill="${colour}"/>`,
          `<path d="M${x(min).toFixed(1)} ${middle}H${x(max).toFixed(1)}" stroke="${text}"/>`,
          `<text x="${(x(max) + 4).toFixed(1)}" y="${y + BAR - 3}" font-size="11">${median.toFixed(2)}</text>`,
        ].join("");
      });
      return [`<text x="0" y="${top + (STACKS.length * BAR) / 2 + 4}">${work}</text>`, ...bars];
    }),
    `<path d="M${x(1)} ${TOP}V${height - 16}" stroke="${faint}" stroke-dasharray="3 3"/>`,
    `<path d="M${LEFT} ${TOP}V${height - 16}" stroke="${faint}"/>`,
    `</svg>`,
  ];
  return `${lines.join("\n")}\n`;
}
