import {
  bundle as bundleFiles,
  createConfig,
  getLineColLocation,
  type Source,
  YamlParseError,
} from "@redocly/openapi-core";
import { relative } from "node:path";
import type { OpenAPI3 } from "openapi-typescript";
import { syntaxProblem } from "../lint/syntax-errors.ts";
import { ROOT } from "../paths.ts";
import { inlineExamples } from "./inline-examples.ts";

export { CONTRACT_FILE } from "../paths.ts";

/**
 * Bundles a contract and the files that it refers to into one document. Rejects with the reason and its place if one of the
 * files cannot be read or parsed. Of several components with one name, all but the first get a number, as in `Book-2`.
 */
export async function bundle(contractPath: string): Promise<OpenAPI3> {
  const { bundle: bundled, problems } = await bundleFiles({ ref: contractPath, config: await createConfig({}) }).catch(
    (error: unknown) => {
      throw error instanceof YamlParseError
        ? new Error(syntaxError(error.source, error.message), { cause: error })
        : error;
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

function syntaxError({ absoluteRef, body }: Source, otherwise: string): string {
  const { line, column, message, frame } = syntaxProblem(body, otherwise);
  return [`${relative(ROOT, absoluteRef)}:${line}:${column}  ${message}`, ...frame].join("\n");
}
