import { createHash } from "node:crypto";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { operationsOf, requirementsOf } from "express-operations/reading";
import { withRequestDefaultsRequired } from "express-operations/request-defaults";
import type { OpenAPI3 } from "openapi-typescript";
import { ROOT } from "../redocly.ts";
import { described } from "./described.ts";

const BANNER = "// Generated from the contract by `pnpm generate`. Do not edit.\n";

/** Where what is generated belongs. */
export const GENERATED_FOLDER = join(ROOT, "packages/contract/src/generated");

/** The text of each file of `src/generated`, by its name: types, the bundled document, its hash, named aliases. */
export async function generatedFiles(document: OpenAPI3): Promise<Record<string, string>> {
  const json = `${JSON.stringify(document, null, 2)}\n`;
  const { servers: _, ...elsewhere } = document;
  const hash = createHash("sha256")
    .update(`${JSON.stringify(elsewhere, null, 2)}\n`)
    .digest("hex");
  return {
    "openapi.json": json,
    "schema.ts": await typesOf(document),
    "handled.ts": await typesOf(withRequestDefaultsRequired(document)),
    "names.ts": BANNER + names(document),
    "facts.ts":
      BANNER +
      "\n/** `info.version` of the contract. */\n" +
      `export const version = ${JSON.stringify(document.info.version)};\n` +
      "\n/** SHA-256 of the bundled document (`openapi.json`) without its `servers`, in hexadecimal. */\n" +
      `export const hash = ${JSON.stringify(hash)};\n` +
      "\n/** The scopes that the operations of the contract require. */\n" +
      `export const scopes = ${scopesOf(document)} as const;\n`,
  };
}

/** The names of the files whose text a folder does not hold. */
export async function staleAmong(files: Record<string, string>, folder: string): Promise<string[]> {
  const stale: string[] = [];
  for (const [name, text] of Object.entries(files)) {
    if ((await readFile(join(folder, name), "utf8").catch(() => undefined)) !== text) stale.push(name);
  }
  return stale;
}

/** Writes those of the files that differ, and gives their names. */
export async function write(files: Record<string, string>, folder: string): Promise<string[]> {
  const stale = await staleAmong(files, folder);
  await Promise.all(stale.map((name) => writeFile(join(folder, name), files[name]!)));
  return stale;
}

/** Writes those of the files that differ, or only checks that a folder holds them and nothing else; prints what came of it. */
export async function writeOrCheck(files: Record<string, string>, folder: string, isCheck: boolean): Promise<void> {
  const faults = isCheck ? await faultsOf(files, folder) : [];
  const written = isCheck ? [] : await write(files, folder);
  for (const fault of faults) console.error(fault);
  if (faults.length > 0) process.exitCode = 1;
  else console.log(written.length === 0 ? "Generated files match the contract." : `Wrote ${written.join(", ")}.`);
}

async function faultsOf(files: Record<string, string>, folder: string): Promise<string[]> {
  const stale = await staleAmong(files, folder);
  const surplus = (await readdir(folder)).filter((name) => !Object.hasOwn(files, name));
  return [
    stale.length > 0 &&
      `The generated files no longer match the contract: ${stale.join(", ")}.\nRun \`npx -y pnpm@12.21.0 generate\` and commit what it writes.`,
    surplus.length > 0 && `Nothing generates ${surplus.join(", ")} in ${folder}: delete it.`,
  ].filter((fault) => fault !== false);
}

async function typesOf(document: OpenAPI3): Promise<string> {
  const { default: openapiTS, astToString } = await import("openapi-typescript"); // and a compiler, which most commands need not load
  return `${BANNER}\n${astToString(await openapiTS(described(document), { defaultNonNullable: false }))}`;
}

/** Each scope once, in the order of the operations. */
function scopesOf(document: OpenAPI3): string {
  const requirements = operationsOf(document).flatMap((entry) => requirementsOf(document, entry));
  const scopes = new Set(requirements.flatMap((requirement) => Object.values(requirement).flat()));
  return `[${Array.from(scopes, (scope) => JSON.stringify(scope)).join(", ")}]`;
}

/** An alias for each schema and for each operation's input and output, so that callers write `Pet`, not a path of indexes. */
function names(document: OpenAPI3): string {
  const schemas = Object.keys(document.components?.schemas ?? {});
  const operations = operationsOf(document).filter(({ operation }) => operation.operationId !== undefined);
  const tags = Map.groupBy(operations, ({ operation: { tags: [tag = ""] = [] } }) => tag);
  const lines = [
    'import type { OperationInput, OperationOutput } from "../operation.ts";',
    'import type { components } from "./schema.ts";',
    "",
    ...schemas.map((name) => `export type ${name} = components["schemas"]["${name}"];`),
    "",
    ...operations.flatMap(({ id }) => {
      const name = id.charAt(0).toUpperCase() + id.slice(1);
      return [
        `export type ${name}Input = OperationInput<"${id}">;`,
        `export type ${name}Output = OperationOutput<"${id}">;`,
      ];
    }),
    "",
    "/** The operationIds of each tag. */",
    "export interface OperationIdsByTag {",
    ...[...tags].map(([tag, tagged]) => `  ${JSON.stringify(tag)}: ${tagged.map(({ id }) => `"${id}"`).join(" | ")};`),
    "}",
    "",
  ];
  return lines.join("\n");
}
