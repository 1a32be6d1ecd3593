import type { ServedDocument } from "./contract-document.ts";

/** Samples that call operations, by method and path such as `GET /pets`, in the order in which the page shows them. */
export type CodeSamples = Record<string, { lang: string; label: string; source: string }[]>;

/** Returns the document with the samples of each operation as `x-codeSamples`. */
export function withCodeSamples(document: ServedDocument, samples: CodeSamples): ServedDocument {
  const paths = Object.entries(document.paths ?? {}).map(([path, item]: [string, Record<string, object>]) => {
    const operations = Object.entries(item).map(([key, operation]) => {
      const own = samples[`${key.toUpperCase()} ${path}`];
      return [key, own === undefined ? operation : { ...operation, "x-codeSamples": own }];
    });
    return [path, Object.fromEntries(operations)];
  });
  return { ...document, paths: Object.fromEntries(paths) as object };
}
