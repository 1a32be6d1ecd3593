/** Edits the contract in a copy of this checkout under `pnpm dev` and prints how soon after each save the report was there. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createProgram } from "@platform/command-line";
import { cloneInstalled } from "@platform/test-support/clone";
import { startDev } from "../test/start.ts";

const ROUNDS = 11;
const MEASURES = {
  "types on disk": { pattern: /on disk after (\d+\.\d+) s/, budget: 1 },
  "type report": { pattern: /packages?; after (\d+\.\d+) s/, budget: 2.5 },
};

createProgram("dev bench", {
  description:
    "Edits the contract in a copy of this checkout under `dev`, and prints how soon after each save the report was there.",
  folder: import.meta.dirname,
}).parse();

using clone = cloneInstalled();
const dev = startDev(clone.directory);
try {
  await dev.report();
  const contract = join(clone.directory, "openapi/openapi.yaml");
  const text = readFileSync(contract, "utf8");
  const reports: string[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    writeFileSync(contract, text.replace("sold]", `sold, lost${round}]`));
    reports.push(await dev.report());
  }
  console.log(`From the save of openapi.yaml, ${ROUNDS} times: median (lowest–highest), in seconds`);
  for (const [name, { pattern, budget }] of Object.entries(MEASURES)) {
    const times = reports.map((report) => Number(pattern.exec(report)?.[1])).toSorted((one, other) => one - other);
    const median = times[Math.floor(times.length / 2)]!;
    console.log(
      `${name.padEnd(14)} ${median.toFixed(2)} (${times[0]!.toFixed(2)}–${times.at(-1)!.toFixed(2)}); budget ${budget}`,
    );
  }
} finally {
  await dev.interrupt();
}
