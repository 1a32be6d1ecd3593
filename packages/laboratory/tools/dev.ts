import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Report } from "@openapi-operations/command-line";
import { cloneInstalled } from "@platform/test-support/clone";
import { startDev } from "@platform/test-support/dev";

const CONTRACT = "openapi/openapi.yaml";
const HANDLERS = "apps/server/src/resources/pets/pets.handlers.ts";

/** What `dev` says after a save, and how many seconds it took. */
const RESULTS = {
  "`dev`, save of the contract to its changes": /since the last commit.*; after (\d+\.\d+) s/,
  "`dev`, save of the contract to types on disk": /on disk after (\d+\.\d+) s/,
  "`dev`, save of the contract to type errors": /packages?; after (\d+\.\d+) s/,
};

/**
 * Runs `dev` in a copy of this checkout, and saves the contract and a handler several times. Returns the seconds from each save to
 * each of the results, by their names.
 */
export async function secondsInDev(rounds: number, progress: Report): Promise<Record<string, number[]>> {
  using clone = cloneInstalled();
  const dev = startDev(clone.directory);
  /** Saves a changed file. Resolves with the report, and the seconds until the new service was listening. */
  const save = async (file: string, change: (text: string, round: number) => string) => {
    const path = join(clone.directory, file);
    const text = readFileSync(path, "utf8");
    const reports: { report: string; restarted: number }[] = [];
    for (let round = 0; round < rounds; round++) {
      progress(`Saving ${file}`, { done: round, total: rounds, unit: "times" });
      const start = performance.now();
      writeFileSync(path, change(text, round));
      const lines: string[] = [];
      let restarted = Number.NaN;
      while (!/^ {2}(?:next|failed) /.test(lines.at(-1) ?? "")) {
        lines.push(await dev.line());
        if (/^ {2}service +(?:re)?started /.test(lines.at(-1)!)) restarted = (performance.now() - start) / 1_000;
      }
      reports.push({ report: lines.join("\n"), restarted });
    }
    writeFileSync(path, text);
    await dev.report();
    return reports;
  };
  try {
    progress("Starting dev");
    await dev.report();
    const contract = await save(CONTRACT, (text, round) => text.replace("sold]", `sold, lost${round}]`));
    const handlers = await save(HANDLERS, (text, round) => text.replace("no animal with", `no animal ${round} with`));
    const results = Object.entries(RESULTS).map(([name, pattern]) => [
      name,
      contract.map(({ report }) => Number(pattern.exec(report)?.[1])),
    ]);
    return {
      ...(Object.fromEntries(results) as Record<string, number[]>),
      "`dev`, save of a handler to the new service": handlers.map(({ restarted }) => restarted),
    };
  } finally {
    await dev.interrupt();
  }
}
