import { relative } from "node:path";
import {
  bundle as bundleFiles,
  createConfig,
  type Document,
  getLineColLocation,
  isAbsoluteUrl,
  Source,
  YamlParseError,
} from "@redocly/openapi-core";
import {
  HOLDS_VALUES,
  IS_MAP,
  normalizePath,
  type OpenApiDocument,
  pointer,
  withLocalReferences,
} from "openapi-document";
import { FileResolver, isJson } from "./file-resolver.ts";
import { isInExtension } from "./lint/lint.ts";
import { syntaxProblem } from "./lint/syntax-errors.ts";
import { ROOT } from "./paths.ts";
import { DEVICE_FLOW } from "./device-flow.ts";
import { isBundled, refers } from "./is-bundled.ts";

export { CONTRACT_FILE } from "./paths.ts";

/** How the files of a contract are read. */
export interface BundleOptions {
  /** Whether references may lead to other hosts. Default: false. */
  allowRemoteRefs?: boolean | undefined;
  /** Returns the text of a file by its absolute path or URL. Default: that of the file as it is. */
  read?: ((absoluteRef: string) => Promise<string>) | undefined;
}

/** A contract in one document, with the fields that generation, comparison and release read. */
export interface BundledDocument extends OpenApiDocument {
  info: { title: string; version: string };
  servers?: { url: string }[];
  paths?: Record<string, object>;
  components?: { schemas?: Record<string, object> };
}

/** A bundled contract, and the paths of the files that it consists of. */
export interface Bundle {
  document: BundledDocument;
  files: string[];
}

/** Returns the bundled document of `bundleWithFiles` alone. */
export async function bundle(contractPath: string, options?: BundleOptions): Promise<BundledDocument> {
  return (await bundleWithFiles(contractPath, options)).document;
}

/**
 * Bundles a contract and the files that it refers to into one document. Rejects with the reason and its place if one of the
 * files cannot be read or parsed, or is at a URL that is not allowed. References are JSON pointers in it, because Redocly does
 * not know `$id`. Of several components with one name, all but the first get a number, as in `Book-2`.
 */
export async function bundleWithFiles(contractPath: string, options: BundleOptions = {}): Promise<Bundle> {
  const externalRefResolver = new ContractResolver(options);
  const doc = await externalRefResolver
    .resolveDocument<OpenApiDocument>(null, contractPath, true)
    .catch((error: unknown) => {
      throw readable(error);
    });
  if (doc instanceof Error) throw readable(doc);
  doc.parsed = withLocalReferences(doc.parsed);
  const isComplete = isBundled(doc.parsed);
  if (isComplete) doc.parsed.components ??= {};
  else await bundleInPlace(doc, externalRefResolver);
  const hasAliases = !isComplete || !isJson(doc.source); // which become objects of their own
  const document = (hasAliases ? JSON.parse(JSON.stringify(doc.parsed)) : doc.parsed) as BundledDocument;
  inlineExamples(document);
  return { document, files: [...externalRefResolver.getFiles()].filter((file) => !isAbsoluteUrl(file)) };
}

async function bundleInPlace(doc: Document, externalRefResolver: ContractResolver): Promise<void> {
  const config = await createConfig({}, { plugins: [DEVICE_FLOW] });
  const { problems } = await bundleFiles({ doc, externalRefResolver, config }).catch((error: unknown) => {
    throw readable(error);
  });
  // Others report new names of components.
  const errors = problems.filter(({ severity, location: [at] }) => severity === "error" && !isInExtension(at!));
  if (errors.length === 0) return;
  const reasons = errors.map(({ message, location }) => {
    const at = location[0]!;
    if (message.startsWith("Failed to parse: ")) return syntaxError(at.source, message);
    const { start } = getLineColLocation(at);
    return `${relative(ROOT, at.source.absoluteRef)}:${start.line}:${start.col}  ${message}`;
  });
  throw new Error(reasons.join("\n"));
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
class ContractResolver extends FileResolver {
  readonly #options: BundleOptions;

  constructor(options: BundleOptions) {
    super();
    this.#options = options;
  }

  override async loadExternalRef(absoluteRef: string): Promise<Source> {
    const { read, allowRemoteRefs = false } = this.#options;
    if (read) return new Source(absoluteRef, await read(absoluteRef));
    if (allowRemoteRefs || !isAbsoluteUrl(absoluteRef)) return super.loadExternalRef(absoluteRef);
    throw new Error(
      `${absoluteRef} is not a local file. Save it beside the contract, or start the mock with --allow-remote-refs.`,
    );
  }

  override parseDocument(source: Source, isRoot?: boolean): Document {
    const document = super.parseDocument(source, isRoot);
    if (isRoot) expectOpenApi(document.parsed, relative(ROOT, source.absoluteRef));
    if (!isJson(source)) expectFewAliases(document.parsed, relative(ROOT, source.absoluteRef));
    return document;
  }
}

/** Throws if a document has another format: its changes would be missed. */
function expectOpenApi(root: unknown, file: string): void {
  const { openapi, swagger } = (root ?? {}) as { openapi?: unknown; swagger?: string };
  if (/^3\.[0-2]\./.test(String(openapi))) return;
  const remedy =
    swagger === undefined
      ? "Begin it with `openapi: 3.1.1`"
      : `Convert this Swagger ${swagger}: npx swagger2openapi --yaml --outfile openapi.yaml ${file}`;
  throw new Error(`${file} is not an OpenAPI document of version 3.0, 3.1 or 3.2. ${remedy}.`);
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

/** A Server Object: https://spec.openapis.org/oas/v3.1.1#server-object */
interface Server {
  url: string;
  variables?: Record<string, { default?: string }>;
}

/**
 * Returns the path of the first server of a document, such as `/v1`, with the defaults of its variables and normalized escapes.
 * Returns an empty string for a document without servers, or whose first server has no path.
 */
export function basePathOf({ servers }: { servers?: unknown }): string {
  const [server] = (servers ?? []) as Server[];
  const url = (server?.url ?? "").replaceAll(
    /\{([^{}]+)\}/g,
    (_, name: string) => server?.variables?.[name]?.default ?? name,
  );
  const path = URL.parse(url, "http://localhost")?.pathname ?? "";
  return normalizePath(path.replaceAll(/\/{2,}/g, "/").replace(/\/$/, ""));
}

type Node = Record<string, unknown>;

/**
 * Replaces references in examples by their targets, in place. Examples are values, so tools do not follow references in them
 * (OpenAPI 3.1, section 4.8.19). Redocly's bundler does, and adds a component for each target. These components are removed.
 */
export function inlineExamples(document: OpenApiDocument): void {
  const inlined = new Set<string>();

  const walk = (node: unknown, isMap = false): void => {
    if (typeof node !== "object" || node === null) return;
    for (const [key, value] of Object.entries(node)) {
      if (!isMap && (key === "example" || key === "examples")) {
        if (refers(value)) (node as Node)[key] = valueOf(value, [], key);
      } else if (isMap || !HOLDS_VALUES.has(key)) walk(value, !isMap && IS_MAP.has(key));
    }
  };

  const valueOf = (value: unknown, trail: string[], keyword?: string): unknown => {
    if (typeof value !== "object" || value === null) return value;
    const { $ref } = value as Node;
    if (typeof $ref === "string" && (isTarget($ref) || keyword === "example") && !trail.includes($ref)) {
      inlined.add($ref);
      return valueOf(pointer(document, $ref), [...trail, $ref]);
    }
    if (Array.isArray(value)) return value.map((item) => valueOf(item, trail));
    return Object.fromEntries(Object.entries(value).map(([key, field]) => [key, valueOf(field, trail)]));
  };

  walk(document);
  if (inlined.size === 0) return;
  const { schemas = {} } = (document.components ?? {}) as { schemas?: Node };
  const text = JSON.stringify(document);
  for (const reference of inlined) {
    const name = /^#\/components\/schemas\/((?:components|paths)_.*)$/.exec(reference)?.[1];
    if (name !== undefined && !text.includes(JSON.stringify(reference))) delete schemas[name];
  }
}

/** Whether a reference in an example leads to a value, and not to an Example Object. */
function isTarget(reference: string): boolean {
  return reference.startsWith("#/") && !reference.startsWith("#/components/examples/");
}
