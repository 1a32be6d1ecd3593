/**
 * Runs `pnpm dev` in a copy of this checkout, edits the contract and a handler, and prints how soon after each save the results
 * were there: cold, in the first report on a new copy, and warm.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createProgram, type Report, wholeNumber, withProgress } from "@openapi-operations/command-line";
import { cloneInstalled } from "@platform/test-support/clone";
import { startDev } from "@platform/test-support/dev";
import { show, spreadOf } from "../measuring/figures.ts";

const CONTRACT = "openapi/openapi.yaml";
const HANDLERS = "apps/server/src/resources/pets/pets.handlers.ts";

/** The seconds of a result in a report, and the budget of the warm one. */
const MEASURES = {
  "contract changes": { pattern: /since the last commit.*; after (\d+\.\d+) s/, budget: 1.5 },
  "types on disk": { pattern: /on disk after (\d+\.\d+) s/, budget: 1 },
  "type report": { pattern: /packages?; after (\d+\.\d+) s/, budget: 2.5 },
};

const program = createProgram("bench dev", {
  description:
    "Edits the contract in a copy of this checkout under `dev`, and prints how soon after each save the report was there.",
  folder: import.meta.dirname,
}).option("--rounds <n>", "the number of saves", wholeNumber(1), 11);
const { rounds: ROUNDS } = program.parse().opts<{ rounds: number }>();

using clone = cloneInstalled();
const dev = startDev(clone.directory);
try {
  const { first, contract, handlers } = await withProgress(async (progress) => {
    progress("Starting dev");
    return {
      first: await dev.report(),
      contract: await saved(CONTRACT, (text, round) => text.replace("sold]", `sold, lost${round}]`), progress),
      handlers: await saved(
        HANDLERS,
        (text, round) => text.replace("no animal with", `no animal ${round} with`),
        progress,
      ),
    };
  });
  console.log(`Seconds from a save; warm: median (lowest–highest) of ${ROUNDS}`);
  printRow("save of the contract", "cold", "warm", "budget");
  for (const [name, { pattern, budget }] of Object.entries(MEASURES)) {
    const times = contract.map(({ report }) => Number(pattern.exec(report)?.[1]));
    printRow(name, pattern.exec(first)?.[1] ?? "", show(spreadOf(times)), String(budget));
  }
  const restarts = handlers.map(({ restarted }) => restarted);
  printRow("save of a handler");
  printRow("new service", "", show(spreadOf(restarts)), "2");
} finally {
  await dev.interrupt();
}

/** Saves a changed file several times. Resolves with the reports, and the seconds until the new service was listening. */
async function saved(file: string, change: (text: string, round: number) => string, progress: Report) {
  const path = join(clone.directory, file);
  const text = readFileSync(path, "utf8");
  const reports: { report: string; restarted: number }[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    progress(`Saving ${file}`, { done: round, total: ROUNDS, unit: "times" });
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
  return reports;
}

function printRow(name: string, cold = "", warm = "", budget = ""): void {
  console.log(`${name.padEnd(22)}${cold.padEnd(8)}${warm.padEnd(20)}${budget}`.trimEnd());
}
