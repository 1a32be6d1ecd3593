/** The checks of a contract that a service is generated from. */
import { scriptCommand } from "@openapi-operations/command-line";
import type { BundledDocument } from "openapi-contract/bundle";
import type { Check } from "openapi-contract/check";

/** Only warns, because the owner of a contract from elsewhere may be unable to change it. */
export async function schemaCheck(document: BundledDocument): Promise<Check> {
  const { findBrokenOperations, findCostlySchemas } = await import("express-operations/schema-check");
  const broken = findBrokenOperations(document);
  const costly = await findCostlySchemas(document);
  const warnings = [
    ...broken.map(({ operationId, error }) => `${operationId} cannot be served: ${(error as Error).message}`),
    ...costly.map(({ operationId, of, at, reason }) => `${operationId}, ${of}${at}: ${reason}`),
  ];
  const passed =
    warnings.length === 0
      ? "every request is validated in linear time"
      : `operations that cannot be served: ${broken.length}; schemas that take more than linear time: ${costly.length}`;
  return { name: "schemas", passed, findings: [], warnings: warnings.map((message) => ({ message })) };
}

export async function generatedCheck(document: BundledDocument, changelog: string, folder: string): Promise<Check> {
  // It loads TypeScript, which takes longer than a comparison.
  const { findStaleFiles, generatedFiles } = await import("./generate/generated-files.ts");
  const stale = await findStaleFiles(await generatedFiles(document, changelog), folder);
  const findings = stale.map((name) => ({
    message: `${name} does not match the contract. Run \`${scriptCommand("generate")}\`.`,
  }));
  return { name: "generated", passed: "the generated files are those of the contract", findings };
}
