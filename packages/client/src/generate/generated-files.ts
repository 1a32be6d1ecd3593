import { resolve } from "node:path";
import type { OpenApiDocument } from "express-operations/document";
import { fingerprints } from "../fingerprint.ts";
import { copyOfDocumentModule } from "./document-module.ts";
import { type Described, describedOperations } from "./described-operations.ts";
import { queries } from "./generated-queries.ts";
import { comment } from "./jsdoc.ts";

const BANNER = "// Generated from the contract by `pnpm generate`. Do not edit.\n";

/** The client's own member names, which no operation can have. */
const RESERVED = new Set(["contract", "checkContract", "operations", "paginate", "then"]);

/** The folder of the generated files. */
export const GENERATED_FOLDER = resolve(import.meta.dirname, "../generated");

/** The files of `packages/contract` that the generator reads. */
export const CONTRACT_FILES = ["openapi.json", "schema.ts", "metadata.ts"] as const;

/**
 * Returns the text of each file of `src/generated`, by name, from the texts of `CONTRACT_FILES` and of the document module.
 * `schema.ts` and `metadata.ts` are copied, because the contract's package is not published.
 */
export async function generatedFiles(
  contract: Record<(typeof CONTRACT_FILES)[number], string>,
  documentModule: string,
): Promise<Record<string, string>> {
  const document = JSON.parse(contract["openapi.json"]) as OpenApiDocument;
  const operations = describedOperations(document);
  const methods = new Set(operations.map(({ entry }) => entry.method));
  for (const { entry } of operations) {
    if (RESERVED.has(entry.id) || methods.has(entry.id))
      throw new TypeError(
        `${entry.id} cannot be an operationId, because the client has a member of this name. Rename the operation.`,
      );
  }
  return {
    "schema.ts": contract["schema.ts"],
    "metadata.ts": contract["metadata.ts"],
    "openapi.ts": copyOfDocumentModule(documentModule),
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

/** Returns the descriptions of operations for run time. Each is a constant of its own, so that bundlers drop unused ones. */
function table(operations: Described[]): string {
  const constants = operations.map(
    ({ entry, documentation }) =>
      `${comment(documentation)}export const ${entry.id}: Operation<"${entry.id}"> = ${JSON.stringify(entry, null, 2)};\n`,
  );
  const ids = operations.map(({ entry }) => entry.id).join(", ");
  const all = `/** Every operation of the contract. */\nexport const operations = [${ids}];\n`;
  return ['import type { Operation } from "../operation.ts";\n', ...constants, all].join("\n");
}

/** Returns the types of each operation: its input, and its calls by operationId, by path and by page. */
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

/** The operations with pages. */
export interface ByPage {
${paged.map((operation) => signature(operation, "Items")).join("")}}

/** A method for each HTTP method, called with a path template of the contract. */
export interface ByPath {
${overloads.join("")}}
`;
}

function inputType({ entry: { id, hasFields }, inputType: name, hasBody }: Described): string {
  const body = hasFields ? ` & Body<"${id}">` : hasBody ? ` & { body: Body<"${id}"> }` : "";
  return `/** The input of \`${id}\`: its parameters and body. */\nexport type ${name} = Fields<Parameters<"${id}">${body}>;\n`;
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
