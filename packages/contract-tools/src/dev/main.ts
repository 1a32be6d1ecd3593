#!/usr/bin/env node
/** `pnpm dev`: runs the service, watches the contract and the code, and reports after each save. */
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { createProgram, visible } from "@openapi-operations/command-line";
import { bundleWithFiles } from "openapi-contract/bundle";
import { ROOT } from "openapi-contract/paths";
import { pathFrom } from "./contract.ts";
import { LogLines, readKeys, styled } from "./terminal.ts";
import { Loop } from "./loop.ts";
import { packagesIn } from "./packages.ts";
import { section } from "./report.ts";
import { type Save, watchSaves } from "./watch.ts";
import { Service } from "./service.ts";

/** The folders of a package that contain code; they are watched with their subfolders. */
const CODE = ["src", "bin", "test", "examples"];

const program = createProgram("dev", {
  description: "Runs the service, watches the contract and the code, and reports after each save.",
  folder: import.meta.dirname,
})
  .option("--poll", "compare the files several times a second, for containers and network mounts without events")
  .parse();
const { poll: isPolling } = program.opts<{ poll?: true }>();

const packages = packagesIn(ROOT);
const print = (text: string): void => console.log(styled(visible(text)));
const log = new LogLines(print);
const service = new Service(ROOT, (line) => log.add(line));
const stopping = new AbortController();
const stop = (): void => stopping.abort();
for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, stop);

const code = packages.flatMap(({ folder }) => CODE.map((name) => `${folder}/${name}`));
const whole = ["openapi", ...code.filter((folder) => existsSync(join(ROOT, folder)))];
const { files } = await bundleWithFiles(join(ROOT, "openapi/openapi.yaml")).catch(() => ({ files: [] }));
const outside = new Set(
  files.map((file) => dirname(pathFrom(ROOT, file))).filter((folder) => !/^openapi(?:\/|$)/.test(folder)),
);
const top = [...packages.map(({ folder }) => folder), ...outside];
const loop = new Loop({ root: ROOT, packages, service, print, signal: stopping.signal });

const everything = ["openapi/openapi.yaml", ...packages.map(({ folder }) => `${folder}/src/`)];
const later = await watchSaves(
  ROOT,
  { whole, top, isPolling, isIgnored: (file) => loop.hasWritten(file) },
  stopping.signal,
  everything,
);
const actions = { r: later.restart, l: () => log.toggle(), q: stop, "\u0003": stop };
const hasKeys = readKeys(actions, stopping.signal);
const keys = hasKeys ? "r restarts the service, l hides its requests, q quits" : "Ctrl+C stops";
print(`Watching ${packages.length} packages and the contract; ${keys}. First, a check of everything:`);
const first = await later.next();
if (first.done !== true) await report(first.value);
for await (const save of later) {
  const cause = save.isRestart ? ["restart", ...save.files] : [...save.files];
  print(`\n${new Date().toTimeString().slice(0, 8)}  ${cause.join(", ")}`);
  await report(save);
}
await service.stop();

/** Reports on a save. A failure is printed as a section, and the loop goes on with the next save. */
async function report(save: Save): Promise<void> {
  try {
    await log.during(() => loop.report(save));
  } catch (error) {
    if (stopping.signal.aborted) return;
    print(section("failed", (error as Error).message));
  }
}
