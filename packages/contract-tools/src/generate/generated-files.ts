import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join, relative } from "node:path";
import { scriptCommand } from "@openapi-operations/command-line";
import { operationsOf, requirementsOf } from "openapi-document";
import { compilableTypes, documentForTypes, withRequestDefaultsRequired } from "openapi-document/openapi-typescript";
import type { OpenAPI3 } from "openapi-typescript";
import { changelogBeside, publishedChangelog, readChangelog } from "openapi-contract/changelog";
import { CONTRACT_FILE, ROOT } from "openapi-contract/paths";
import { aliasesOf } from "./aliases.ts";
import { basePathOf, type BundledDocument } from "openapi-contract/bundle";
import { type ClientSettings, codeSamples } from "./code-samples.ts";
import { curlExamples } from "./curl-examples.ts";
import { withHoverTexts } from "./hover-texts.ts";

const BANNER = "// Generated from the contract by `pnpm generate`. Do not edit.\n";

/** Generates each file of `src/generated` as a string, by name: types, the bundled document, its hash, aliases, samples, the changelog. */
export async function generatedFiles(
  document: BundledDocument,
  changelog = changelogBeside(CONTRACT_FILE),
): Promise<Record<string, string>> {
  const json = `${JSON.stringify(document, null, 2)}\n`;
  const { servers: _, ...elsewhere } = document;
  const typed = documentForTypes(document);
  const curls = curlExamples(document).map(({ curl }) => curl);
  const hash = createHash("sha256")
    .update(`${JSON.stringify(elsewhere, null, 2)}\n`)
    .digest("hex");
  return {
    "openapi.json": json,
    "schema.ts": await typesOf(withOtherMethods(typed)),
    "operations-with-defaults.ts": await typesOf(withRequestDefaultsRequired(document)),
    "names.ts": BANNER + aliasesOf(typed),
    "metadata.ts":
      BANNER +
      "\n/** `info.version` of the contract. */\n" +
      `export const version = ${JSON.stringify(document.info.version)};\n` +
      "\n/** SHA-256 of the bundled document (`openapi.json`) without its `servers`, in hexadecimal. */\n" +
      `export const hash = ${JSON.stringify(hash)};\n` +
      "\n/** The scopes that the operations of the contract require. */\n" +
      `export const scopes = ${scopesOf(document)} as const;\n` +
      "\n/** The path of the first server of the contract, below which the service serves its operations. */\n" +
      `export const basePath = ${JSON.stringify(basePathOf(document))};\n` +
      "\n/** Commands that try operations: `{url}` stands for the base URL, `{key}` for an API key, `$TOKEN` for a token. */\n" +
      `export const curlExamples: readonly string[] = ${JSON.stringify(curls, null, 2)};\n`,
    "code-samples.json": `${JSON.stringify(codeSamples(document, await clientSettings()), null, 2)}\n`,
    "changelog.json": `${JSON.stringify(publishedChangelog(await readChangelog(changelog)), null, 2)}\n`,
  };
}

/** Returns the names of the files that are missing from a folder or have other content there. */
export async function findStaleFiles(files: Record<string, string>, folder: string): Promise<string[]> {
  const stale: string[] = [];
  for (const [name, text] of Object.entries(files)) {
    if ((await readFile(join(folder, name), "utf8").catch(() => undefined)) !== text) stale.push(name);
  }
  return stale;
}

/** Writes the files that differ from those of a folder, and returns their names. */
export async function write(files: Record<string, string>, folder: string): Promise<string[]> {
  await mkdir(folder, { recursive: true });
  const stale = await findStaleFiles(files, folder);
  await Promise.all(stale.map((name) => writeFile(join(folder, name), files[name]!)));
  return stale;
}

/**
 * Writes the files that differ, or with `isCheck` only checks that a folder holds exactly these files. Prints the result and
 * sets the exit code.
 */
export async function writeOrCheck(files: Record<string, string>, folder: string, isCheck: boolean): Promise<void> {
  const mismatches = isCheck ? await findMismatches(files, folder) : [];
  const written = isCheck ? [] : await write(files, folder);
  for (const mismatch of mismatches) console.error(mismatch);
  if (mismatches.length > 0) process.exitCode = 1;
  else console.log(written.length === 0 ? "Generated files match the contract." : `Wrote ${written.join(", ")}.`);
}

async function findMismatches(files: Record<string, string>, folder: string): Promise<string[]> {
  const stale = await findStaleFiles(files, folder);
  const surplus = (await readdir(folder)).filter((name) => !Object.hasOwn(files, name));
  return [
    stale.length > 0 &&
      `These files in ${relative(ROOT, folder)} are not as generated from the contract: ${stale.join(", ")}.\nRun \`${scriptCommand("generate")}\`, which overwrites them, and commit the result.`,
    surplus.length > 0 && `Not a generated file: ${surplus.join(", ")} in ${folder}. Delete it.`,
  ].filter((mismatch) => mismatch !== false);
}

/**
 * Describes QUERY and additional methods (OpenAPI 3.2) where clients of fetch-operations expect their types: as TRACE at paths of
 * their own, because openapi-typescript knows the methods of 3.1 only.
 */
function withOtherMethods(document: BundledDocument): BundledDocument {
  const others = operationsOf(document).flatMap(({ method, path, operation, parameters, additional }) =>
    method !== "query" && additional === undefined
      ? []
      : [[`/${(additional ?? "QUERY").replaceAll("%", " ")} ${path}`, { trace: { ...operation, parameters } }]],
  );
  return { ...document, paths: { ...document.paths, ...Object.fromEntries(others) } };
}

async function typesOf(document: BundledDocument): Promise<string> {
  const { default: openapiTS, astToString } = await import("openapi-typescript"); // Loads a compiler, which most commands do not need.
  const typed = withHoverTexts(document) as OpenAPI3; // that of this generator, whose declarations need further packages
  const types = astToString(await openapiTS(typed, { defaultNonNullable: false }));
  return `${BANNER}\n${compilableTypes(types, document)}`;
}

/** Each scope once, in the order of the operations. */
function scopesOf(document: BundledDocument): string {
  const requirements = operationsOf(document).flatMap((entry) => requirementsOf(document, entry));
  const scopes = new Set(requirements.flatMap((requirement) => Object.values(requirement).flat()));
  return `[${Array.from(scopes, (scope) => JSON.stringify(scope)).join(", ")}]`;
}

const CLIENT = join(ROOT, "packages/client");
const CONFIG = "fetch-operations.config.json";

/** Returns the settings of the repository's client: those of its generator, and the name of its package. Undefined without a client. */
async function clientSettings(): Promise<ClientSettings | undefined> {
  if (!existsSync(join(CLIENT, CONFIG))) return undefined;
  const [config, manifest] = await Promise.all([CONFIG, "package.json"].map(read));
  return { ...(config as ClientSettings), package: (manifest as { name: string }).name };
}

async function read(file: string): Promise<unknown> {
  return JSON.parse(await readFile(join(CLIENT, file), "utf8")) as unknown;
}
