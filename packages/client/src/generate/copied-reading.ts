/** Returns what the client has of `express-operations/document`, which it reads documents with and does not depend on. */
export function copiedReading(source: string): string {
  return `// Copied from express-operations/document by \`pnpm generate\`. Do not edit.\n${source}`;
}
