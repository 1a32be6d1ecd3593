import {
  BaseResolver,
  bundle as bundleFiles,
  createConfig,
  getLineColLocation,
  type Source,
  YamlParseError,
} from "@redocly/openapi-core";
import { type OpenApiDocument, withLocalReferences } from "express-operations/reading";
import { relative } from "node:path";
import type { OpenAPI3 } from "openapi-typescript";
import { syntaxProblem } from "../lint/syntax-errors.ts";
import { ROOT } from "../paths.ts";
import { inlineExamples } from "./inline-examples.ts";

export { CONTRACT_FILE } from "../paths.ts";

/**
 * Bundles a contract and the files that it refers to into one document. Rejects with the reason and its place if one of the
 * files cannot be read or parsed. References are JSON pointers in it, because Redocly does not know `$id`. Of several components
 * with one name, all but the first get a number, as in `Book-2`.
 */
export async function bundle(contractPath: string): Promise<OpenAPI3> {
  const config = await createConfig({});
  const externalRefResolver = new BaseResolver(config.resolve);
  const doc = await externalRefResolver.resolveDocument<OpenApiDocument>(null, contractPath, true);
  if (doc instanceof Error) throw readable(doc);
  doc.parsed = withLocalReferences(doc.parsed);
  const { bundle: bundled, problems } = await bundleFiles({ doc, externalRefResolver, config }).catch(
    (error: unknown) => {
      throw readable(error);
    },
  );
  const errors = problems.filter(({ severity }) => severity === "error"); // the others report new names of components
  if (errors.length > 0) {
    const reasons = errors.map(({ message, location: [at] }) => {
      if (at === undefined) return message;
      if (message.startsWith("Failed to parse: ")) return syntaxError(at.source, message);
      const { start } = getLineColLocation(at);
      return `${relative(ROOT, at.source.absoluteRef)}:${start.line}:${start.col}  ${message}`;
    });
    throw new Error(reasons.join("\n"));
  }
  const document = JSON.parse(JSON.stringify(bundled.parsed)) as OpenAPI3; // aliases of YAML become objects of their own
  inlineExamples(document);
  return document;
}

/** Returns an error of reading a file, with the place and the remedy of a fault in its syntax. */
function readable(error: unknown): unknown {
  return error instanceof YamlParseError
    ? new Error(syntaxError(error.source, error.message), { cause: error })
    : error;
}

function syntaxError({ absoluteRef, body }: Source, otherwise: string): string {
  const { line, column, message, frame } = syntaxProblem(body, otherwise);
  return [`${relative(ROOT, absoluteRef)}:${line}:${column}  ${message}`, ...frame].join("\n");
}
