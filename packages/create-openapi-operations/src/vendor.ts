import { cpSync, globSync, mkdirSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { readVersions, REPOSITORY, slashed } from "./project.ts";
import { pnpm } from "./repository.ts";

/**
 * Packs the platform's packages of this repository into the folder `vendor` of a service, and returns the overrides that make a
 * package manager install those, relative to `root`. `packed` is a folder that has them already, or gets them. The published
 * package needs none: a service has the versions of the registry.
 */
export function vendorPlatform(folder: string, root: string, packed?: string): Record<string, string> {
  if (REPOSITORY === undefined) return {};
  const vendor = join(folder, "vendor");
  const names = Object.keys(readVersions().platform);
  const source = resolve(packed ?? vendor); // pnpm packs in the folder of this repository
  mkdirSync(source, { recursive: true });
  if (globSync("*.tgz", { cwd: source }).length === 0) pack(REPOSITORY, names, source);
  if (source !== vendor) cpSync(source, vendor, { recursive: true });
  const tarballs = globSync("*.tgz", { cwd: vendor });
  const path = slashed(relative(root, vendor));
  return Object.fromEntries(
    names.map((name) => {
      const start = `${name.replace("@", "").replace("/", "-")}-`;
      const tarball = tarballs.find((each) => each.startsWith(start) && /^\d/.test(each.slice(start.length)));
      return [name, `file:${path}/${tarball!}`];
    }),
  );
}

function pack(repository: string, names: string[], to: string): void {
  const filters = names.flatMap((name) => ["--filter", name]);
  const failure = pnpm(repository, ...filters, "--workspace-concurrency=2", "pack", "--pack-destination", to);
  if (failure !== undefined) throw new Error(`The platform cannot be packed.\n${failure}`);
}
