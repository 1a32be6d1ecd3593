import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { chart, chartFile } from "../service/chart.ts";

const page = readFileSync(new URL("../../../apps/server/docs/performance.md", import.meta.url), "utf8");

/** Returns the figures of the first table with this service below a heading, by work and stack. */
function ratiosBelow(heading: string) {
  const [, below = ""] = page.split(`## ${heading}\n`);
  const table = below.slice(below.indexOf("\n| |")).trim().split("\n\n", 1)[0]!;
  const [works, , ...stacks] = table.split("\n").map((row) =>
    row
      .split("|")
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
  return Object.fromEntries(
    works!.slice(1).map((work, at) => [
      work,
      Object.fromEntries(
        stacks.map(([label, ...cells]) => {
          const [median, min, max] = cells[at]!.match(/[\d.]+/g)!.map(Number);
          return [label, { median: median!, min: min!, max: max! }];
        }),
      ),
    ]),
  );
}

test.each([
  ["chart", "Requests", "light"],
  ["chart", "Requests", "dark"],
  ["chart-native", "Stacks with the same techniques", "light"],
  ["chart-native", "Stacks with the same techniques", "dark"],
] as const)("%s has the figures of the table below %s, %s", async (name, heading, theme) => {
  await expect(chart(name, ratiosBelow(heading), theme)).toMatchFileSnapshot(chartFile(name, theme));
});
