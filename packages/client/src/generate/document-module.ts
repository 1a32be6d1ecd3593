/** Returns a copy of the module `express-operations/document`, because the published client does not depend on that package. */
export function copyOfDocumentModule(source: string): string {
  return `// Copied from express-operations/document by \`pnpm generate\`. Do not edit.\n${source}`;
}
