import { escapeKey, nameOf, type OpenApiDocument, pointer, withLocalReferences } from "openapi-document";

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
  const core = await import("@redocly/openapi-core").catch(missingDependency);
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

/** Rejects with the command that installs what the generator imports. */
export function missingDependency(cause: unknown): never {
  const command = "npm install --save-dev @redocly/openapi-core @ts-morph/common";
  throw new Error(`The generator needs @redocly/openapi-core and @ts-morph/common: ${command}`, { cause });
}
