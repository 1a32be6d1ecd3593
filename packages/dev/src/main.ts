/** `pnpm dev`: watches the contract and the code, and says at each save what follows from it; the service runs meanwhile. */
import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { Loop } from "./loop.ts";
import { packagesIn } from "./packages.ts";
import { section } from "./report.ts";
import { type Save, saves } from "./saves.ts";
import { Service } from "./service.ts";

/** The folders of a package that hold code, all the way down; more lies beside them. */
const CODE = ["src", "bin", "test", "bench", "examples"];

const root = resolve(import.meta.dirname, "../../..");
const packages = packagesIn(root);
const service = new Service(root);
const stopping = new AbortController();
for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => stopping.abort());

const code = packages.flatMap(({ folder }) => CODE.map((name) => `${folder}/${name}`));
const whole = ["openapi", ...code.filter((folder) => existsSync(join(root, folder)))];
const top = packages.map(({ folder }) => folder);
const loop = new Loop({ root, packages, service, print: (text) => console.log(text), signal: stopping.signal });

const everything: Save = {
  files: new Set(["openapi/openapi.yaml", ...packages.map(({ folder }) => `${folder}/src/`)]),
  at: performance.now(),
};
const later = saves(root, { whole, top }, stopping.signal);
console.log("Looking at everything once");
await report(everything);
console.log(`Watching ${top.length} packages and the contract; Ctrl+C stops.`);
for await (const save of later) {
  console.log(`\n${new Date().toTimeString().slice(0, 8)}  ${[...save.files].join(", ")}`);
  await report(save);
}
await service.stop();

/** A save that cannot be worked out is reported like any other; the next one may be. */
async function report(save: Save): Promise<void> {
  try {
    await loop.report(save);
  } catch (error) {
    if (stopping.signal.aborted) return;
    console.log(section("failed", (error as Error).message));
  }
}
