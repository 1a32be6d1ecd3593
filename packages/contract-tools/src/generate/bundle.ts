import {
  BaseResolver,
  bundle as bundleFiles,
  createConfig,
  type Document,
  getLineColLocation,
  isAbsoluteUrl,
  type Source,
  YamlParseError,
} from "@redocly/openapi-core";
import { type OpenApiDocument, withLocalReferences } from "openapi-document";
import { relative } from "node:path";
import type { OpenAPI3 } from "openapi-typescript";
import { syntaxProblem } from "../lint/syntax-errors.ts";
import { ROOT } from "../paths.ts";
import { inlineExamples } from "./inline-examples.ts";

export { CONTRACT_FILE } from "../paths.ts";

/** How the files of a contract are read. */
export interface BundleOptions {
  /** Whether references may lead to other hosts. Default: false. */
  allowRemoteRefs?: boolean | undefined;
}

/**
 * Bundles a contract and the files that it refers to into one document. Rejects with the reason and its place if one of the
 * files cannot be read or parsed, or is at a URL that is not allowed. References are JSON pointers in it, because Redocly does
 * not know `$id`. Of several components with one name, all but the first get a number, as in `Book-2`.
 */
export async function bundle(contractPath: string, { allowRemoteRefs = false }: BundleOptions = {}): Promise<OpenAPI3> {
  const config = await createConfig({});
  const externalRefResolver = new ContractResolver(allowRemoteRefs);
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

/** Reads the files of a contract, and other hosts only if this is allowed. */
class ContractResolver extends BaseResolver {
  readonly #allowsRemote: boolean;

  constructor(allowsRemote: boolean) {
    super();
    this.#allowsRemote = allowsRemote;
  }

  override loadExternalRef(absoluteRef: string): Promise<Source> {
    if (this.#allowsRemote || !isAbsoluteUrl(absoluteRef)) return super.loadExternalRef(absoluteRef);
    return Promise.reject(
      new Error(
        `${absoluteRef} is not a local file. Save it beside the contract, or start the mock with --allow-remote-refs.`,
      ),
    );
  }

  override parseDocument(source: Source, isRoot?: boolean): Document {
    const document = super.parseDocument(source, isRoot);
    expectFewAliases(document.parsed, relative(ROOT, source.absoluteRef));
    return document;
  }
}

/** The most values that the aliases of a file may repeat. */
const MAX_REPEATED = 1_000_000;

/** Throws if the aliases of a YAML file repeat so many values that the file cannot be read in a second, or lead in a circle. */
function expectFewAliases(root: unknown, file: string): void {
  const sizes = new Map<object, number | undefined>();
  const sizeOf = (node: unknown): number => {
    if (typeof node !== "object" || node === null) return 1;
    if (sizes.has(node)) {
      const known = sizes.get(node);
      if (known === undefined) throw new Error(`${file} has an alias of the value around it. Write that value out.`);
      return known;
    }
    sizes.set(node, undefined);
    const size = Object.values(node).reduce((sum: number, each) => sum + sizeOf(each), 1);
    sizes.set(node, size);
    if (size > MAX_REPEATED && size > 100 * sizes.size)
      throw new Error(`${file} has aliases that repeat more than ${MAX_REPEATED} values. Use $ref in place of some.`);
    return size;
  };
  sizeOf(root);
}
