import { globSync, mkdirSync, readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { root } from "./clone.ts";
import { pack } from "./pnpm.ts";

/** A package that releases publish. */
export interface PublishedPackage {
  name: string;
  /** The path of its folder from the root. */
  folder: string;
  /** Its entries, such as `.` and `./testing`, each with its source. Those outside of `src` are not published. */
  exports: Record<string, string>;
  bin?: Record<string, string>;
}

/** Returns the packages of the workspace that are not private. */
export function publishedPackages(): PublishedPackage[] {
  return globSync("packages/*/package.json", { cwd: root })
    .toSorted()
    .map((file) => {
      const manifest = JSON.parse(readFileSync(join(root, file), "utf8")) as PublishedPackage & { private?: boolean };
      return { ...manifest, folder: dirname(file).replaceAll("\\", "/") };
    })
    .filter((manifest) => manifest.private !== true);
}

/** Returns the packages of the platform, which are released together with the command that creates services. */
export function platformPackages(): PublishedPackage[] {
  const { fixed } = JSON.parse(readFileSync(join(root, ".changeset/config.json"), "utf8")) as { fixed: string[][] };
  return publishedPackages().filter(({ name }) => fixed.flat().includes(name) && !name.startsWith("create-"));
}

let packed: Map<string, string> | undefined;

/** Packs the packages of the platform, once for each process. Returns their tarballs by name. */
export async function packAll(): Promise<Map<string, string>> {
  const directory = join(root, "node_modules/.cache/packed");
  mkdirSync(directory, { recursive: true });
  packed ??= new Map(
    platformPackages().map(({ name, folder }) => {
      const tarball = join(directory, `${basename(folder)}.tgz`);
      pack(join(root, folder), tarball);
      return [name, tarball];
    }),
  );
  return packed;
}
