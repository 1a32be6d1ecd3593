/** Edits a handler and the contract in a copy of this checkout under `pnpm dev` and prints how soon after each save it had its effect. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { cloneInstalled } from "@platform/test-support/clone";
import { startDev } from "../test/start.ts";

const ROUNDS = 11;
const MEASURES = {
  "types on disk": { pattern: /on disk after (\d+\.\d+) s/, budget: 1 },
  "type report": { pattern: /packages?; after (\d+\.\d+) s/, budget: 2.5 },
};
const MESSAGE = "There is no animal with this id.";

using clone = cloneInstalled();
const dev = startDev(clone.directory);
try {
  await dev.report();
  const handlers = join(clone.directory, "apps/server/src/resources/pets/pets.handlers.ts");
  const code = readFileSync(handlers, "utf8");
  const restarts: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const began = performance.now();
    writeFileSync(handlers, code.replace(MESSAGE, `Round ${round}.`));
    while ((await message()) !== `Round ${round}.`) await setTimeout(10);
    restarts.push((performance.now() - began) / 1_000);
    await dev.report();
  }
  console.log(`From the save of a handler, ${ROUNDS} times: median (lowest–highest), in seconds`);
  print("service", restarts, 2);

  const contract = join(clone.directory, "openapi/openapi.yaml");
  const text = readFileSync(contract, "utf8");
  const reports: string[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    writeFileSync(contract, text.replace("sold]", `sold, lost${round}]`));
    reports.push(await dev.report());
  }
  console.log(`From the save of openapi.yaml, ${ROUNDS} times: median (lowest–highest), in seconds`);
  for (const [name, { pattern, budget }] of Object.entries(MEASURES))
    print(
      name,
      reports.map((report) => Number(pattern.exec(report)?.[1])),
      budget,
    );
} finally {
  await dev.interrupt();
}

/** Returns the message of the changed handler. */
async function message(): Promise<string> {
  const key = readFileSync(join(clone.directory, "data/quickstart.key"), "utf8").trim();
  const response = await fetch(`${dev.address()}/pets/4711`, { headers: { Authorization: `Bearer ${key}` } });
  return ((await response.json()) as { message: string }).message;
}

function print(name: string, measured: number[], budget: number): void {
  const times = measured.toSorted((one, other) => one - other);
  const median = times[Math.floor(times.length / 2)]!;
  console.log(
    `${name.padEnd(14)} ${median.toFixed(2)} (${times[0]!.toFixed(2)}–${times.at(-1)!.toFixed(2)}); budget ${budget}`,
  );
}
