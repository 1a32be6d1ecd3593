import { curlExamples, isUnvalidated } from "@openapi-operations/contract-tools/curl-examples";
import { verifierOf } from "@openapi-operations/contract-tools/credentials";
import { type Place, withResource } from "@openapi-operations/contract-tools/scaffold-files";
import { propertyKey } from "openapi-document";
import { clientConfig } from "./client-config.ts";
import type { Contract } from "./contract.ts";
import { type Names, renamed } from "./names.ts";
import { type Files, REPOSITORY, type Versions, withVersions } from "./project.ts";
import { folderOf, resourceFiles, resourcesOf } from "./resources.ts";
import type { Workspace } from "./workspace.ts";

const MIGRATIONS = "apps/server/src/migrations.ts";
const REGISTRATIONS = "apps/server/src/registrations.ts";

/** Fills the template with the names of the service, and the tags, operations and security schemes of its contract. */
export function fill(
  files: Files,
  names: Names,
  contract: Contract,
  versions: Versions,
  workspace: Workspace | undefined,
): void {
  const { document, entries, schemes } = contract;
  const resources = resourcesOf(entries);
  const edit = (file: string, change: (text: string) => string) => files.set(file, change(files.get(file)!));
  for (const file of files.keys())
    if (file.endsWith("package.json")) edit(file, (text) => withVersions(text, versions));
  edit("package.json", (text) => `${JSON.stringify({ ...(JSON.parse(text) as object), ...versions.root }, null, 2)}\n`);
  edit("apps/server/src/name.ts", (text) => withValue(text, ', keyPrefix: "pst"', ""));
  for (const file of files.keys()) edit(file, (text) => renamed(text, names));
  edit(REGISTRATIONS, withoutResources);
  edit(MIGRATIONS, (text) => withValue(text, 'import { withPets } from "./resources/pets/pets.migrations.ts";\n', ""));
  edit(MIGRATIONS, (text) => withValue(text, "withPets(API_KEY_MIGRATIONS)", "API_KEY_MIGRATIONS"));
  for (const { place } of resources) edit(REGISTRATIONS, (text) => withResource(text, place));
  edit("apps/server/src/security.ts", (text) => withSchemes(text, schemes));
  if (!/verifyPassword/.test(files.get("apps/server/src/security.ts")!)) files.delete("apps/server/src/password.ts");
  for (const [file, text] of resourceFiles(document, resources, names)) files.set(file, text);
  files.set(
    "packages/client/fetch-operations.config.json",
    `${JSON.stringify(clientConfig(contract, names), null, 2)}\n`,
  );
  edit("README.md", (text) => withFacts(text, names, contract, resources[0]!.place, workspace));
}

/** How a scheme is validated, as code of `security.ts`. */
const VALIDATIONS = { apiKey: '"apiKey"', token: '"token"', basic: "verifyPassword", none: "() => undefined" };

/** Names how each security scheme is validated. */
function withSchemes(text: string, schemes: Contract["schemes"]): string {
  const entries = Array.from(schemes, ([name, scheme]) => `${propertyKey(name)}: ${VALIDATIONS[verifierOf(scheme)]}`);
  const filled = withValue(text, '{ bearerAuth: "apiKey" }', `{ ${entries.join(", ")} }`);
  return filled.includes("verifyPassword")
    ? filled.replace("\n\n", '\nimport { verifyPassword } from "./password.ts";\n\n')
    : filled;
}

/** Fills the README with the first request and the names of the first resource. */
function withFacts(
  text: string,
  { name }: Names,
  contract: Contract,
  place: Place,
  workspace: Workspace | undefined,
): string {
  const { document, schemes, basePath } = contract;
  const kinds = new Set(Array.from(schemes.values(), verifierOf));
  const [first] = curlExamples(document);
  const isRefused = first !== undefined && isUnvalidated(document, first.entry);
  const isPasswordFirst = isRefused && first.curl.includes(" -u user:password ");
  const resource = folderOf(place);
  const facts: Record<string, string> = {
    name,
    curl:
      first?.curl
        .replaceAll("{key}", "$(cat data/quickstart.key)")
        .replace("{url}", `http://127.0.0.1:3000${basePath}`) ?? "curl http://127.0.0.1:3000/openapi.json",
    resource,
    table: place.resourceName.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
    constant: place.resourceName,
    handlers: place.handlersName,
    manager: workspace?.manager ?? "pnpm",
    settings: workspace?.manager === "pnpm" ? "pnpm-workspace.yaml" : "package.json",
  };
  const hasVendor = REPOSITORY !== undefined;
  const conditions: Record<string, boolean> = {
    keys: kinds.has("apiKey"),
    tokens: kinds.has("token"),
    passwords: kinds.has("basic") && !isPasswordFirst,
    passwordFirst: isPasswordFirst,
    otherFirst: isRefused && !isPasswordFirst,
    own: workspace === undefined,
    joined: workspace !== undefined,
    vendor: hasVendor,
    ownVendor: hasVendor && workspace === undefined,
    joinedVendor: hasVendor && workspace !== undefined,
  };
  return text
    .replaceAll(/<!-- if (\w+) -->\n([^]*?)<!-- end -->\n/g, (_, condition: string, part: string) =>
      conditions[condition] ? part : "",
    )
    .replaceAll(/\{\{(\w+)\}\}/g, (_, fact: string) => facts[fact]!);
}

/** Leaves out the resources of the petstore, among them those that a reader of its tutorial has added. */
function withoutResources(text: string): string {
  const [list] = /REGISTRATIONS = \[[^\]]*\]/.exec(text) ?? [""];
  const imports = /^import \{ \w+ \} from "\.\/resources\/[\w-]+\/index\.ts";\n/gm;
  return withValue(text, list, "REGISTRATIONS = [apiKeys]").replaceAll(imports, "");
}

/** Replaces the only place of a text. Throws if the template has changed. */
function withValue(text: string, place: string, value: string): string {
  if (text.split(place).length !== 2) throw new Error(`The template has no single place "${place}".`);
  return text.replace(place, () => value);
}
