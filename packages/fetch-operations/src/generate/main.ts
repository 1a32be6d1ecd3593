import { watch } from "node:fs";
import { dirname, join, relative } from "node:path";
import { parseArgs } from "node:util";
import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { ConfigError, loadConfig, type LoadedConfig } from "./config.ts";
import { loadContract } from "./contract-source.ts";
import { generatedFiles } from "./generated-files.ts";

const USAGE = `Usage: fetch-operations generate [options]

Writes a typed client of an OpenAPI document, or several.

Options:
  --config <file>  the configuration (default: fetch-operations.config.json)
  --check          write nothing, and fail if the generated files differ
  --watch          generate again after each change of the contract
  --version        print the version
  -h, --help       print this text

Example:
  npx fetch-operations generate --check`;

/** Invalid arguments. */
class UsageError extends Error {}

/** Runs the command line. The exit code is 0 after success, 1 after a failure and 2 for invalid arguments. */
export async function main(args: string[], version: string): Promise<void> {
  try {
    const options = readArguments(args);
    if (options.help) console.log(USAGE);
    else if (options.version) console.log(version);
    else if (options.watch) await watchContract(options.config);
    else await generate(options.config, options.check);
  } catch (error) {
    report(error);
  }
}

function readArguments(args: string[]) {
  const { values, positionals } = parseValidArguments(args);
  if (values.help || values.version) return values;
  if (positionals.length === 0) throw new UsageError(USAGE);
  if (positionals.join(" ") !== "generate") throw usageError(`unknown command '${positionals.join(" ")}'`);
  return values;
}

function parseValidArguments(args: string[]) {
  try {
    return parseArgs({
      args,
      allowPositionals: true,
      options: {
        config: { type: "string", default: "fetch-operations.config.json" },
        check: { type: "boolean", default: false },
        watch: { type: "boolean", default: false },
        version: { type: "boolean", default: false },
        help: { type: "boolean", short: "h", default: false },
      },
    });
  } catch (error) {
    throw usageError((error as Error).message);
  }
}

function usageError(problem: string): UsageError {
  return new UsageError(`error: ${problem}\nAdd --help to see the usage.`);
}

/** Generates each client once, or checks it. Resolves to the files of the contracts. Rejects with a message for people. */
export async function generate(path: string, isCheck = false): Promise<string[]> {
  const read: string[] = [];
  for (const config of await loadConfig(path)) read.push(...(await generateOne(config, isCheck)));
  return read;
}

async function generateOne(config: LoadedConfig, isCheck: boolean): Promise<string[]> {
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
  for (const { contract, file } of await loadConfig(path)) follow([file, contract]);
  await run();
  console.log("Watching the contract. Press Ctrl+C to stop.");
}

function report(error: unknown): void {
  const isUsage = error instanceof UsageError;
  const isOfUser = error instanceof Error && ["ConfigError", "Refusal", "TypeError"].includes(error.name);
  console.error(isUsage || isOfUser ? visible(error.message) : error);
  process.exitCode = isUsage ? 2 : 1;
}

/** Writes control characters of arguments and documents as in JSON, so that they cannot change a terminal. */
function visible(message: string): string {
  return message.replaceAll(/(?!\t|\r?\n)[\p{Cc}\u202A-\u202E\u2066-\u2069]/gu, (character) => {
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
  });
}

/** Returns the names of files that are missing from a folder, have another text there, or do not belong there. */
export async function findMismatches(
  files: Record<string, string>,
  folder: string,
): Promise<{ stale: string[]; surplus: string[] }> {
  const present = await readdir(folder).catch(() => []);
  const stale: string[] = [];
  for (const [name, text] of Object.entries(files)) {
    const own = await readFile(join(folder, name), "utf8").catch(() => undefined);
    if (own !== text) stale.push(name);
  }
  return { stale, surplus: present.filter((name) => !Object.hasOwn(files, name)) };
}

/** Writes the files that differ and returns their names. A file that an earlier version generated is deleted. */
export async function writeFiles(files: Record<string, string>, folder: string): Promise<string[]> {
  await mkdir(folder, { recursive: true });
  const { stale, surplus } = await findMismatches(files, folder);
  for (const name of stale) await writeFile(join(folder, name), files[name]!);
  for (const name of surplus) {
    const text = await readFile(join(folder, name), "utf8").catch(() => "");
    if (text.startsWith("// Generated from the contract by ")) await rm(join(folder, name));
  }
  return stale;
}
