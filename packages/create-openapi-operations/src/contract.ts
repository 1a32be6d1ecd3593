import { basePathOf, bundle } from "openapi-contract/bundle";
import { implement } from "express-operations";
import { findBrokenOperations } from "express-operations/schema-check";
import { type OpenApiDocument, type OperationEntry, operationsOf } from "openapi-document";
import { requiredSchemes, type SecurityScheme } from "@openapi-operations/contract-tools/credentials";

/** The facts of a contract that the repository is generated from. */
export interface Contract {
  document: OpenApiDocument & { info: { title: string; version: string } };
  entries: OperationEntry[];
  /** The security schemes that operations require, by name. */
  schemes: Map<string, SecurityScheme>;
  basePath: string;
  /** The operations whose schemas are invalid, so that each of their requests gets 500. */
  broken: string[];
}

/** Reads a contract. Throws for one that no service could serve, with the reason of each operation. */
export async function readContract(path: string): Promise<Contract> {
  const document = (await bundle(path)) as unknown as Contract["document"];
  const { title, version } = (document.info ?? {}) as { title?: unknown; version?: unknown };
  if (typeof title !== "string" || typeof version !== "string")
    throw new Error(`${path} needs info.title and info.version, both strings. Add them first.`);
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
  return {
    document,
    entries,
    schemes: requiredSchemes(document, entries),
    basePath: basePathOf(document as { servers?: unknown }),
    broken,
  };
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
