import { resolve } from "node:path";
import type { OpenApiDocument } from "express-operations/document";
import { fingerprints } from "../fingerprint.ts";
import { copiedReading } from "./copied-reading.ts";
import { type Described, describedOperations } from "./described-operations.ts";
import { queries } from "./generated-queries.ts";
import { comment } from "./jsdoc.ts";

const BANNER = "// Generated from the contract by `pnpm generate`. Do not edit.\n";

/** Names that the client itself gives a meaning, so that no operation can have them. */
const RESERVED = new Set(["contract", "checkContract", "operations", "paginate", "then"]);

/** Where what is generated belongs. */
export const GENERATED_FOLDER = resolve(import.meta.dirname, "../generated");

/** The files that `packages/contract` generates and the client is made of. */
export const CONTRACT_FILES = ["openapi.json", "schema.ts", "metadata.ts"] as const;

/**
 * The text of each file of `src/generated`, by its name, from the text of each of `CONTRACT_FILES`. What the types are made
 * of is copied, as the contract's package is not published.
 */
export async function generatedFiles(
  contract: Record<(typeof CONTRACT_FILES)[number], string>,
  reading: string,
): Promise<Record<string, string>> {
  const document = JSON.parse(contract["openapi.json"]) as OpenApiDocument;
  const operations = describedOperations(document);
  const methods = new Set(operations.map(({ entry }) => entry.method));
  for (const { entry } of operations) {
    if (RESERVED.has(entry.id) || methods.has(entry.id))
      throw new TypeError(`${entry.id} cannot be an operationId: the client has a member of this name.`);
  }
  return {
    "schema.ts": contract["schema.ts"],
    "metadata.ts": contract["metadata.ts"],
    "openapi.ts": copiedReading(reading),
    "names.ts": BANNER + names(document),
    "operations.ts": BANNER + table(operations),
    "calls.ts": BANNER + calls(operations),
    "queries.ts": BANNER + queries(operations),
    "document.ts":
      BANNER +
      'import type { ContractDocument } from "../testing/document.ts";\n\n' +
      "/** The contract. */\n" +
      `export const document: ContractDocument = ${JSON.stringify(document, null, 2)};\n`,
    "fingerprints.ts":
      BANNER +
      "\n/** A digest of each operation, by its operationId. */\n" +
      `export const operationFingerprints = ${JSON.stringify(await fingerprints(document), null, 2)};\n`,
  };
}

function names({ components = {} }: OpenApiDocument): string {
  const { schemas = {} } = components as { schemas?: object };
  const lines = Object.keys(schemas).map((name) => `export type ${name} = components["schemas"]["${name}"];`);
  return ['import type { components } from "./schema.ts";', "", ...lines, ""].join("\n");
}

/** What the client needs of each operation at run time. Each is a constant of its own, so that bundlers drop the others. */
function table(operations: Described[]): string {
  const constants = operations.map(
    ({ entry, documentation }) =>
      `${comment(documentation)}export const ${entry.id}: Operation<"${entry.id}"> = ${JSON.stringify(entry, null, 2)};\n`,
  );
  const ids = operations.map(({ entry }) => entry.id).join(", ");
  const all = `/** Every operation of the contract. */\nexport const operations = [${ids}];\n`;
  return ['import type { Operation } from "../operation.ts";\n', ...constants, all].join("\n");
}

/** What the editor shows and the compiler checks of each operation: its input, and its calls by operationId, path and page. */
function calls(operations: Described[]): string {
  const methods = [...new Set(operations.map(({ entry }) => entry.method))];
  const overloads = methods.map((method) => {
    const ofMethod = operations.filter(({ entry }) => entry.method === method);
    return `  ${method}: {\n${ofMethod.map(overload).join("")}  };\n`;
  });
  const paged = operations.filter(({ entry }) => entry.isPaged);
  return `import type { Body, Fields, Init, Parameters } from "../input.ts";
import type { CallOptions } from "../options.ts";
import type { Call, Items } from "../result.ts";

${operations.map(inputType).join("\n")}
/** A method for each operation. */
export interface ByOperation {
${operations.map((operation) => signature(operation, "Call")).join("")}}

/** The operations that answer page by page. */
export interface ByPage {
${paged.map((operation) => signature(operation, "Items")).join("")}}

/** A method for each HTTP method, which takes a path of the contract. */
export interface ByPath {
${overloads.join("")}}
`;
}

function inputType({ entry: { id, hasFields }, inputType: name, hasBody }: Described): string {
  const body = hasFields ? ` & Body<"${id}">` : hasBody ? ` & { body: Body<"${id}"> }` : "";
  return `/** What \`${id}\` takes. */\nexport type ${name} = Fields<Parameters<"${id}">${body}>;\n`;
}

function signature(
  { entry: { id }, inputType: type, isInputRequired, documentation }: Described,
  result: string,
): string {
  const input = `input${isInputRequired ? "" : "?"}: ${type}`;
  return `${comment(documentation, "  ")}  ${id}: (${input}, options?: CallOptions) => ${result}<"${id}">;\n`;
}

function overload({ entry: { id, path }, isInputRequired, documentation }: Described): string {
  const init = `init${isInputRequired ? "" : "?"}: Init<"${id}"> & CallOptions`;
  return `${comment(documentation, "    ")}    (path: ${JSON.stringify(path)}, ${init}): Call<"${id}">;\n`;
}
