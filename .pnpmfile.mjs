import { existsSync } from "node:fs";
import { join } from "node:path";

export const hooks = {
  readPackage: (manifest) => {
    // Of Scalar one file is served as it stands, in which all its dependencies are contained: they need not be installed too.
    if (manifest.name === "@scalar/api-reference") return { ...manifest, dependencies: {} };
    // Node's packages name their platform without a list, which pnpm leaves out of the lockfile: then all would be installed.
    if (/^node-(bin-)?(darwin|linux|win)-/.test(manifest.name)) {
      const platform = { os: [manifest.os].flat(), cpu: [manifest.cpu].flat() };
      // Its Linux has glibc. With musl, the Node of the machine is used.
      return { ...manifest, ...platform, ...(manifest.name.includes("linux") && { libc: ["glibc"] }) };
    }
    return manifest;
  },
  beforePacking: (manifest, folder) => (manifest.private ? manifest : published(manifest, folder)),
};

/** Returns the manifest of a package whose users have what `build` makes of `src`. Entries outside of `src` are for this workspace alone. */
function published(manifest, folder) {
  const sources = Object.entries(manifest.exports ?? {}).filter(([, source]) => source.startsWith("./src/"));
  const entries = sources.map(([entry, source]) => [entry, conditionsOf(source, folder)]);
  const { ".": main, ...others } = Object.fromEntries(entries);
  const bins = Object.entries(manifest.bin ?? {}).map(([name, file]) => [name, built(file)]);
  const hasCommonJs = main?.require !== undefined;
  return {
    ...manifest,
    ...(bins.length > 0 && { bin: Object.fromEntries(bins) }),
    ...(main && { main: (main.require ?? main).default, types: (main.import ?? main).types }),
    // Bundlers and TypeScript without `exports` read these.
    ...(hasCommonJs && { module: main.import.default, typesVersions: { "*": typesOf(others) } }),
    ...(entries.length > 0 && { exports: Object.fromEntries(entries) }),
    publishConfig: { access: "public", provenance: true },
  };
}

/** Returns the types and the module of an entry, both also for `require` if the package has a build in CommonJS with them. */
function conditionsOf(source, folder) {
  const [asImport, asRequire] = ["dist", "dist/cjs"].map((output) => {
    return { types: built(source, output, ".d.ts"), default: built(source, output) };
  });
  const hasRequire = existsSync(join(folder, asRequire.default.replace(/\/\*.*/, "")));
  return hasRequire ? { import: asImport, require: asRequire } : asImport;
}

/** Returns the file that `build` writes for one of `src`; any other file as it is. */
function built(file, output = "dist", extension = ".js") {
  return file.replace(/^\.\/src\/(.*)\.ts$/, (_, path) => `./${output}/${path}${extension}`);
}

function typesOf(entries) {
  const types = Object.entries(entries).map(([entry, it]) => [entry.slice(2), [(it.import ?? it).types]]);
  return Object.fromEntries(types);
}
