import { basePathOf, bundle } from "@platform/contract-tools/bundle";
import { requiredSchemes } from "@platform/contract-tools/credentials";
import { implement } from "express-operations";
import { findBrokenOperations } from "express-operations/schema-check";
import { type OpenApiDocument, type OperationEntry, operationsOf } from "openapi-document";
import type { Security } from "./security-files.ts";

/** The facts of a contract that the repository is generated from. */
export interface Contract {
  document: OpenApiDocument & { info: { title: string; version: string } };
  entries: OperationEntry[];
  security: Security;
  basePath: string;
  /** The operations whose schemas are invalid, so that each of their requests gets 500. */
  broken: string[];
}

/** Reads a contract. Throws for one that no service could serve, with the reason of each operation. */
export async function readContract(path: string): Promise<Contract> {
  const document = (await bundle(path)) as unknown as Contract["document"] & { swagger?: string };
  if (typeof document.swagger === "string")
    throw new Error(
      `${path} is Swagger ${document.swagger}. Convert it first: npx swagger2openapi --yaml --outfile openapi.yaml ${path}`,
    );
  if (typeof document.openapi !== "string" || !/^3\.[012]\./.test(document.openapi))
    throw new Error(
      `${path} is no OpenAPI 3.0, 3.1 or 3.2 document: its field "openapi" is ${JSON.stringify(document.openapi)}.`,
    );
  const entries = operationsOf(document);
  if (entries.length === 0) {
    const isSender = Object.keys(document.webhooks ?? {}).length > 0;
    throw new Error(
      isSender
        ? `${path} has only webhooks, which its service sends. Add the paths that the service serves first.`
        : `${path} has no operations. Add a path to it first.`,
    );
  }
  expectToStart(path, document, entries);
  const broken = findBrokenOperations(document).map(({ operationId }) => operationId);
  const security: Security = { schemes: requiredSchemes(document, entries) };
  return { document, entries, security, basePath: basePathOf(document as { servers?: unknown }), broken };
}

/** Throws what `implement` would throw at the start of the service, as faults of the contract. */
function expectToStart(path: string, document: OpenApiDocument, entries: OperationEntry[]): void {
  const handlers: Record<string, () => never> = Object.fromEntries(
    entries.map(({ id }) => [id, () => ({ status: 500 }) as never]),
  );
  const names = [...requiredSchemes(document, entries).keys()];
  try {
    implement<Record<string, { responses: never }>>()({
      document,
      handlers,
      security: Object.fromEntries(names.map((name) => [name, () => undefined])),
    });
  } catch (cause) {
    const faults = (cause as Error).message.replace(/^The document and its implementation do not match:\n/, "");
    throw new Error(`${path} cannot be served. Correct it first:\n${faults}`, { cause });
  }
}
