import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";
import type ts from "typescript";
import {
  escapeKey,
  nameOf,
  type OpenApiDocument,
  operationsOf,
  pointer,
  type Schema,
  withLocalReferences,
} from "openapi-document";
import type { ValueTypes } from "../contract/shapes.ts";
import {
  compilableTypes,
  describeUnevaluatedProperties,
  forEachKeywordObject,
  removeLargeIntegers,
} from "openapi-document/openapi-typescript";
import { describeFiles } from "./file-schemas.ts";
import { tupleWriter } from "./tuple-types.ts";

type RedoclyCore = typeof import("@redocly/openapi-core");
type ProblemLocation = Awaited<ReturnType<RedoclyCore["bundle"]>>["problems"][0]["location"][0];

/** A contract in one document, with the lines of its file. */
export interface Contract {
  document: OpenApiDocument & { info?: { version?: string; title?: string }; components?: Record<string, unknown> };
  /** Returns `file:line` of a place in the document, given as keys; without the line if it is in another file. */
  placeOf: (keys: string[]) => string;
  /** The paths or URLs of the files that the contract refers to. */
  files?: string[];
}

/** Reads a contract and bundles the files that it refers to. Rejects with a message that names the fault and its place. */
export async function loadContract(path: string): Promise<Contract> {
  const core = await loadCore();
  const config = await core.createConfig({});
  const read = async () => {
    const externalRefResolver = new core.BaseResolver();
    const doc = await externalRefResolver.resolveDocument(null, path, true);
    if (doc instanceof Error) throw doc;
    doc.parsed = withLocalReferences(doc.parsed as OpenApiDocument);
    return core.bundle({ doc, externalRefResolver, config });
  };
  const { bundle, problems, fileDependencies } = await read().catch((error: unknown) => {
    throw new TypeError(`${path} cannot be read: ${(error as Error).message}`);
  });
  // The bundle also has the targets of `$ref` in examples, where it is data. A contract in one file needs none.
  const parsed =
    fileDependencies.size > 1
      ? bundle.parsed
      : withLocalReferences(core.parseYaml(bundle.source.body) as OpenApiDocument);
  const document = parsed as Contract["document"];
  const trees = new Map<string, OpenApiDocument>();
  const treeOf = ({ body }: ProblemLocation["source"]): OpenApiDocument => {
    if (!trees.has(body)) trees.set(body, core.parseYaml(body) as OpenApiDocument);
    return trees.get(body)!;
  };
  const problem = problems.find(
    ({ severity, location }) => severity === "error" && !isMappingOfNames(document, treeOf, location[0]),
  );
  if (problem)
    throw new TypeError(`${path} cannot be read: ${problem.message} at ${problem.location[0]?.pointer ?? "#/"}.`);
  if (!/^3\.[0-2]/.test(document.openapi ?? ""))
    throw new TypeError(`${path} is not an OpenAPI document of version 3.`);
  return {
    document,
    files: [...fileDependencies],
    placeOf: (keys) => {
      const place = `#/${keys.map(escapeKey).join("/")}`;
      try {
        return `${path}:${core.getLineColLocation({ source: bundle.source, pointer: place, reportOnKey: true }).start.line}`;
      } catch {
        return path;
      }
    },
  };
}

/** Returns whether a problem is that of a mapping to names of schemas. Redocly takes each name for a file. */
function isMappingOfNames(
  { components }: Contract["document"],
  treeOf: (source: ProblemLocation["source"]) => OpenApiDocument,
  location?: ProblemLocation,
): boolean {
  const [, at] = /^(.*\/discriminator\/mapping)\/[^/]+$/.exec(location?.pointer ?? "") ?? [];
  if (at === undefined) return false;
  const mapping = pointer(treeOf(location!.source), at) as Record<string, string>;
  return Object.values(mapping).every((target) => Object.hasOwn(components?.["schemas"] ?? {}, nameOf(target)));
}

async function loadCore(): Promise<RedoclyCore> {
  return import("@redocly/openapi-core").catch((cause: unknown) => {
    throw new Error(
      "The generator needs @redocly/openapi-core and openapi-typescript: npm install --save-dev @redocly/openapi-core openapi-typescript typescript@5",
      { cause },
    );
  });
}

/** Returns the types of a document, as openapi-typescript writes them. Files are `Blob`. */
export async function typesOf(document: object, { int64, dates }: ValueTypes = {}): Promise<string> {
  const from = createRequire(import.meta.url)
    .resolve("openapi-typescript")
    .replace(/index\.cjs$/, "index.mjs");
  const {
    default: openapiTS,
    astToString,
    stringToAST,
    transformSchemaObject,
  } = (await import(pathToFileURL(from).href)) as typeof import("openapi-typescript");
  const writeTuple = tupleWriter(createRequire(from)("typescript") as typeof ts, transformSchemaObject);
  const typeOf = (text: string) => (stringToAST(`type T = ${text}`)[0] as { type: never }).type;
  // A copy, because openapi-typescript adds fields. Each schema has one place in it, even if YAML aliases repeat it.
  const json = JSON.stringify(document);
  const copy = JSON.parse(json) as OpenApiDocument;
  if (json.includes('"contentMediaType"')) describeFiles(copy);
  if (json.includes('"unevaluatedProperties"')) describeUnevaluatedProperties(copy);
  removeLargeIntegers(copy);
  // openapi-typescript writes the values of a schema in place of the type that `transform` returns.
  forEachKeywordObject(copy, (schema) => {
    if (convertedType(schema, { int64, dates }) === undefined) return;
    delete schema["enum"];
    delete schema["const"];
  });
  // openapi-typescript takes these for references. Without an operationId, it writes the operation in its path.
  for (const { id, operation } of operationsOf(copy)) if (/%|#\//.test(id)) delete operation.operationId;
  const nodes = await openapiTS(copy as never, {
    silent: true,
    defaultNonNullable: false,
    transform: (schema, options) => {
      const converted = convertedType(schema as Schema, { int64, dates });
      return converted === undefined ? writeTuple(schema, options) : typeOf(converted);
    },
  });
  return compilableTypes(astToString(nodes), document as OpenApiDocument);
}

/** Returns the type of a file, and of a value that the client converts; undefined for other schemas. */
function convertedType({ format, type, nullable }: Schema, { int64, dates }: ValueTypes): string | undefined {
  const types = new Set([type ?? []].flat());
  const isText = types.has("string");
  const name = (text: string) => (types.has("null") || nullable === true ? `${text} | null` : text);
  if (format === "binary" && (type === undefined || isText)) return name("Blob");
  if (int64 === "bigint" && format === "int64" && types.has("integer")) return name("bigint");
  if (dates === "Date" && format === "date-time" && isText) return name("Date");
  if (dates === "Temporal" && format === "date-time" && isText) return name("Temporal.Instant");
  return dates === "Temporal" && format === "date" && isText ? name("Temporal.PlainDate") : undefined;
}
