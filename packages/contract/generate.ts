/**
 * Writes `src/generated` from the contract: types, the bundled document, its hash, named aliases.
 * With `--check` it writes nothing and fails when what is committed differs, or when another file lies among it.
 */
import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs, promisify } from "node:util";
import openapiTS, { astToString, type OpenAPI3 } from "openapi-typescript";
import { METHODS, withRequestDefaultsRequired } from "./request-defaults.ts";

const BANNER = "// Generated from the contract by `pnpm generate`. Do not edit.\n";

const { values } = parseArgs({
  options: {
    check: { type: "boolean", default: false },
    contract: { type: "string", default: pathFrom("../../openapi/openapi.yaml") },
    out: { type: "string", default: pathFrom("./src/generated") },
  },
});

const files = await generate(values.contract);
const stale: string[] = [];
for (const [name, text] of Object.entries(files)) {
  const file = join(values.out, name);
  if ((await readFile(file, "utf8").catch(() => undefined)) === text) continue;
  stale.push(name);
  if (!values.check) await writeFile(file, text);
}
if (values.check) {
  const surplus = (await readdir(values.out)).filter((name) => !Object.hasOwn(files, name));
  if (stale.length > 0) {
    fail(
      `The generated files no longer match the contract: ${stale.join(", ")}.\n` +
        "Run `npx -y pnpm@12.21.0 generate` and commit what it writes.",
    );
  }
  if (surplus.length > 0) fail(`Nothing generates ${surplus.join(", ")} in ${values.out}: delete it.`);
}
if (process.exitCode === undefined)
  console.log(stale.length === 0 ? "Generated files match the contract." : `Wrote ${stale.join(", ")}.`);

function fail(message: string): void {
  console.error(message);
  process.exitCode = 1;
}

/** The text of each generated file, by its name. */
async function generate(contractPath: string): Promise<Record<string, string>> {
  const document = await bundle(contractPath);
  const json = `${JSON.stringify(document, null, 2)}\n`;
  const hash = createHash("sha256").update(json).digest("hex");
  return {
    "openapi.json": json,
    "schema.ts": await typesOf(document),
    "handled.ts": await typesOf(withRequestDefaultsRequired(document)),
    "names.ts": BANNER + names(document),
    "facts.ts":
      BANNER +
      "\n/** `info.version` of the contract. */\n" +
      `export const version = ${JSON.stringify(document.info.version)};\n` +
      "\n/** SHA-256 of the bundled document (`openapi.json`), in hexadecimal. */\n" +
      `export const hash = ${JSON.stringify(hash)};\n`,
  };
}

/** One self-contained document, its references into other files resolved, by the same Redocly that lints it. */
async function bundle(contractPath: string): Promise<OpenAPI3> {
  const directory = await mkdtemp(join(tmpdir(), "contract-"));
  const output = join(directory, "openapi.json");
  const redocly = pathFrom(`./node_modules/.bin/redocly${process.platform === "win32" ? ".cmd" : ""}`);
  try {
    await promisify(execFile)(redocly, ["bundle", contractPath, "--output", output], {
      env: { ...process.env, REDOCLY_TELEMETRY: "off", REDOCLY_SUPPRESS_UPDATE_NOTICE: "true" },
    });
    return JSON.parse(await readFile(output, "utf8")) as OpenAPI3;
  } finally {
    await rm(directory, { recursive: true });
  }
}

async function typesOf(document: OpenAPI3): Promise<string> {
  return `${BANNER}\n${astToString(await openapiTS(structuredClone(document), { defaultNonNullable: false }))}`;
}

/** An alias for each schema and for each operation's input and output, so that callers write `Pet`, not a path of indexes. */
function names(document: OpenAPI3): string {
  const schemas = Object.keys(document.components?.schemas ?? {});
  const operationIds = Object.values(document.paths ?? {}).flatMap((item) =>
    METHODS.flatMap((method) => ("$ref" in item ? [] : (operationIdOf(item[method]) ?? []))),
  );
  const lines = [
    'import type { OperationInput, OperationOutput } from "../operation.ts";',
    'import type { components } from "./schema.ts";',
    "",
    ...schemas.map((name) => `export type ${name} = components["schemas"]["${name}"];`),
    "",
    ...operationIds.flatMap((id) => {
      const name = id.charAt(0).toUpperCase() + id.slice(1);
      return [
        `export type ${name}Input = OperationInput<"${id}">;`,
        `export type ${name}Output = OperationOutput<"${id}">;`,
      ];
    }),
    "",
  ];
  return lines.join("\n");
}

function operationIdOf(operation: unknown): string | undefined {
  return (operation as { operationId?: string } | undefined)?.operationId;
}

function pathFrom(relative: string): string {
  return fileURLToPath(new URL(relative, import.meta.url));
}
