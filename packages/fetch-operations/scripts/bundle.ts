/**
 * Bundles the ES modules in `dist` into one file for each entry point and chunks that they share, because Node takes some time for
 * each file that a program imports. The declarations and the CommonJS build stay as they are.
 */
import { globSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { rolldown } from "rolldown";
import manifest from "../package.json" with { type: "json" };

const dist = join(import.meta.dirname, "../dist");
const names = Object.values(manifest.exports).flatMap((source) =>
  globSync(`${source.slice("./src/".length, -".ts".length)}.js`, { cwd: dist }).map((file) =>
    file.slice(0, -".js".length),
  ),
);
const bundle = await rolldown({
  input: Object.fromEntries(names.map((name) => [name, join(dist, `${name}.js`)])),
  external: /^[^./]/,
  platform: "neutral",
});
// Rolldown has read the modules before they are deleted.
const { output } = await bundle.generate({ dir: dist, chunkFileNames: "chunks/[name]-[hash].js" });
for (const module of globSync("**/*.js", { cwd: dist, exclude: ["cjs/**"] })) rmSync(join(dist, module));
for (const chunk of output) {
  if (chunk.type !== "chunk") continue;
  mkdirSync(dirname(join(dist, chunk.fileName)), { recursive: true });
  writeFileSync(join(dist, chunk.fileName), chunk.code);
}
