/** `pnpm dev`: runs the service, watches the contract and the code, and reports after each save. */
import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { Loop } from "./loop.ts";
import { packagesIn } from "./packages.ts";
import { section } from "./report.ts";
import { type Save, saves } from "./saves.ts";
import { Service } from "./service.ts";

/** The folders of a package that contain code; they are watched with their subfolders. */
const CODE = ["src", "bin", "test", "bench", "examples"];

const root = resolve(import.meta.dirname, "../../..");
const packages = packagesIn(root);
const print = (text: string): void => console.log(text);
const service = new Service(root, print);
const stopping = new AbortController();
for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => stopping.abort());

const code = packages.flatMap(({ folder }) => CODE.map((name) => `${folder}/${name}`));
const whole = ["openapi", ...code.filter((folder) => existsSync(join(root, folder)))];
const top = packages.map(({ folder }) => folder);
const loop = new Loop({ root, packages, service, print, signal: stopping.signal });

const everything = ["openapi/openapi.yaml", ...packages.map(({ folder }) => `${folder}/src/`)];
const later = await saves(root, { whole, top }, stopping.signal, everything);
print(`Watching ${top.length} packages and the contract; Ctrl+C stops. First, a check of everything:`);
const first = await later.next();
if (first.done !== true) await report(first.value);
for await (const save of later) {
  print(`\n${new Date().toTimeString().slice(0, 8)}  ${[...save.files].join(", ")}`);
  await report(save);
}
await service.stop();

/** Reports on a save. A failure is printed as a section, and the loop goes on with the next save. */
async function report(save: Save): Promise<void> {
  try {
    await loop.report(save);
  } catch (error) {
    if (stopping.signal.aborted) return;
    print(section("failed", (error as Error).message));
  }
}
