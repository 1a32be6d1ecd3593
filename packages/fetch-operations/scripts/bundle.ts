/**
 * Bundles the ES modules in `dist` into one file for each entry point and chunks that they share, because Node takes some time for
 * each file that a program imports. The declarations and the CommonJS build stay as they are.
 *
 * openapi-typescript becomes a part of the generator, because its peer dependency on TypeScript 5 excludes any other in a project. It
 * gets the TypeScript of @ts-morph/common, which installs no `tsc`.
 */
import { globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { rolldown } from "rolldown";
import manifest from "../package.json" with { type: "json" };

const dist = join(import.meta.dirname, "../dist");
const names = Object.values(manifest.exports).flatMap((source) =>
  globSync(`${source.slice("./src/".length, -".ts".length)}.js`, { cwd: dist }).map((file) =>
    file.slice(0, -".js".length),
  ),
);
const { dependencies, peerDependencies } = manifest;
const installed = Object.keys({ ...dependencies, ...peerDependencies });
/** What the modules of openapi-typescript get for an import. */
const replacements: { name: string; importer: RegExp; code: string }[] = [
  { name: "typescript", importer: /./, code: 'export { ts as default } from "@ts-morph/common";' },
  // All that `parseRef` uses of Redocly's utilities, which import a parser and more.
  { name: "./utils", importer: /openapi-core.lib.ref-utils\.js$/, code: "exports.isTruthy = Boolean;" },
];
const bundle = await rolldown({
  input: Object.fromEntries(names.map((name) => [name, join(dist, `${name}.js`)])),
  external: (name) => installed.includes(name) || name.startsWith("openapi-document/"),
  platform: "node",
  treeshake: { moduleSideEffects: false },
  plugins: [
    {
      name: "replacements",
      resolveId(name, importer = "") {
        const index = replacements.findIndex((each) => each.name === name && each.importer.test(importer));
        return index === -1 ? null : `\0${index}`;
      },
      load: (id) => (id.startsWith("\0") ? (replacements[Number(id.slice(1))]?.code ?? null) : null),
    },
  ],
});
// Rolldown has read the modules before they are deleted.
const { output } = await bundle.generate({ dir: dist, chunkFileNames: "chunks/[name]-[hash].js" });
for (const module of globSync("**/*.js", { cwd: dist, exclude: ["cjs/**"] })) rmSync(join(dist, module));
const included = new Set<string>();
for (const chunk of output) {
  if (chunk.type !== "chunk") continue;
  for (const id of chunk.moduleIds)
    included.add(/^.*[\\/]node_modules[\\/](@[^\\/]+[\\/])?[^\\/]+/.exec(id)?.[0] ?? "");
  mkdirSync(dirname(join(dist, chunk.fileName)), { recursive: true });
  writeFileSync(join(dist, chunk.fileName), chunk.code);
}
included.delete("");
const licenses = Array.from(included, (folder) => {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as typeof manifest;
  const texts = globSync("{LICENSE,license}*", { cwd: folder }).map((file) => readFileSync(join(folder, file), "utf8"));
  return [`${name} ${version} (${license})\n`, ...texts].join("\n");
});
writeFileSync(join(dist, "LICENSES.txt"), licenses.toSorted().join("\n"));
