import type { Names } from "./names.ts";
import type { Repository } from "./workspace.ts";

/** The fields of a package.json that are changed. */
interface Manifest {
  version?: string;
  description?: string;
  scripts?: Record<string, string>;
  dependencies?: Record<string, string>;
  devDependencies?: Record<string, string>;
  "size-limit"?: unknown;
}

/** Scripts of the repository that start the shop front and the laboratory. */
const ROOT_SCRIPTS = ["storefront", "bench", "census", "mutate", "budgets", "surface"];

/** Scripts of the server that run the petstore's tests. */
const PETSTORE_SCRIPTS = ["test:costs", "test:litestream", "test:upgrade"];

/** Corrects the packages' manifests after the petstore's files are removed. */
export function manifests(repository: Repository, { title }: Names, hasTokens: boolean): void {
  edit(repository, "apps/server/package.json", (manifest) => {
    for (const script of PETSTORE_SCRIPTS) delete manifest.scripts![script];
    manifest.scripts!["test:long"] = "vitest run --project sqlite --passWithNoTests .long.test.ts";
    manifest.description = `The ${title} service and its command line.`;
    if (hasTokens) manifest.dependencies!["@platform/tokens"] = "workspace:*";
    manifest.dependencies = sorted(manifest.dependencies!);
    manifest.devDependencies = sorted({ ...manifest.devDependencies, "@platform/contract-tools": "workspace:*" });
  });
  edit(repository, "package.json", ({ scripts }) => {
    for (const script of ROOT_SCRIPTS) delete scripts![script];
  });
  edit(repository, "packages/client/package.json", (manifest) => {
    delete manifest["size-limit"];
    delete manifest.scripts!["size"];
    manifest.version = "0.0.0";
    manifest.scripts!["test:long"] = "vitest run --dir test --passWithNoTests .long.test.ts";
  });
  const pack = "packages/contract-tools/src/release/pack.ts";
  const published = "./packages/{client,express-operations,fetch-operations,openapi-document}";
  repository.write(pack, repository.read(pack).replace(published, "./packages/client"));
  const updates = ".github/dependabot.yml";
  const ofPetstore =
    /^ +- \/packages\/laboratory\/.*\n|\n {2}- package-ecosystem: .*\n {4}directory: \/apps\/(?:.+\n)+/gm;
  repository.write(updates, repository.read(updates).replace(ofPetstore, ""));
  const checks = ".ci/run";
  repository.write(checks, repository.read(checks).replace(/(?:^#.*\n)*^.* mutate .*\n/m, ""));
}

function edit({ read, write }: Repository, file: string, change: (manifest: Manifest) => unknown): void {
  const manifest = JSON.parse(read(file)) as Manifest;
  change(manifest);
  write(file, `${JSON.stringify(manifest, null, 2)}\n`);
}

function sorted(dependencies: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(dependencies).toSorted(([one], [other]) => (one < other ? -1 : 1)));
}
