import { watch } from "node:fs";
import { dirname, relative } from "node:path";
import { parseArgs } from "node:util";
import { ConfigError, loadConfig } from "./config.ts";
import { loadContract } from "./contract-source.ts";
import { generatedFiles } from "./generated-files.ts";
import { findMismatches, writeFiles } from "./output.ts";

const USAGE = `fetch-operations generate [--config FILE] [--check | --watch]

Writes a typed client of an OpenAPI document.

  --config FILE  the configuration (default: fetch-operations.config.json)
  --check        writes nothing, and fails if the generated files differ
  --watch        generates again after each change of the contract`;

/** Runs the command line. Sets the exit code. */
export async function main(args: string[]): Promise<void> {
  try {
    const { values, positionals } = parseArgs({
      args,
      allowPositionals: true,
      options: {
        config: { type: "string", default: "fetch-operations.config.json" },
        check: { type: "boolean", default: false },
        watch: { type: "boolean", default: false },
        help: { type: "boolean", default: false },
      },
    });
    if (values.help || positionals.length === 0) return console.log(USAGE);
    if (positionals.join(" ") !== "generate")
      throw new ConfigError(`There is no command "${positionals.join(" ")}".\n\n${USAGE}`);
    if (values.watch) await watchContract(values.config);
    else await generate(values.config, values.check);
  } catch (error) {
    report(error);
  }
}

/** Generates once, or checks. Resolves to the files of the contract. Rejects with a message for people. */
export async function generate(path: string, isCheck = false): Promise<string[]> {
  const config = await loadConfig(path);
  const contract = await loadContract(config.contract);
  const read = [config.contract, ...(contract.files ?? [])];
  const files = await generatedFiles(contract, config);
  const folder = relative(process.cwd(), config.output) || ".";
  if (!isCheck) {
    const written = await writeFiles(files, config.output);
    console.log(written.length === 0 ? `${folder} matches the contract.` : `Wrote ${written.join(", ")} in ${folder}.`);
    return read;
  }
  const { stale, surplus } = await findMismatches(files, config.output);
  if (stale.length > 0)
    throw new ConfigError(
      `The files in ${folder} do not match the contract: ${stale.join(", ")}. Generate them again.`,
    );
  if (surplus.length > 0)
    throw new ConfigError(`${folder} has files that are not generated: ${surplus.join(", ")}. Delete them.`);
  console.log(`${folder} matches the contract.`);
  return read;
}

/** Generates after each change beside the configuration or a file of the contract, until the process ends. */
async function watchContract(path: string): Promise<void> {
  const watched = new Set<string>();
  let isRunning = false;
  let isChanged = false;
  let timer: NodeJS.Timeout | undefined;
  // An editor writes a file in several steps.
  const later = () => {
    clearTimeout(timer);
    timer = setTimeout(() => void run(), 50);
  };
  /** Generates, and again if a file has changed meanwhile. */
  const run = async (): Promise<void> => {
    isChanged = true;
    if (isRunning) return;
    isRunning = true;
    while (isChanged) {
      isChanged = false;
      await generate(path).then(follow, report);
    }
    isRunning = false;
  };
  const follow = (files: string[]): void => {
    for (const folder of new Set(files.filter((file) => !/^https?:/.test(file)).map((file) => dirname(file)))) {
      if (watched.has(folder)) continue;
      watched.add(folder);
      isChanged = true; // because a file may have changed between its reading and its watching
      watch(folder, (_event, name) => void (/\.(?:ya?ml|json|[cm]?[jt]s)$/.test(name ?? "") && later()));
    }
  };
  const { contract, file } = await loadConfig(path);
  follow([file, contract]);
  await run();
  console.log("Watching the contract. Press Ctrl+C to stop.");
}

function report(error: unknown): void {
  const isOfUser = error instanceof Error && ["ConfigError", "Refusal", "TypeError"].includes(error.name);
  console.error(isOfUser ? error.message : error);
  process.exitCode = 1;
}
