/** `node empty-dist.ts [folder]`: empties `dist` on every system, for a build whose JavaScript in that folder of it is CommonJS. */
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

rmSync("dist", { recursive: true, force: true });
for (const folder of process.argv.slice(2)) {
  mkdirSync(join("dist", folder), { recursive: true });
  writeFileSync(join("dist", folder, "package.json"), '{ "type": "commonjs" }\n');
}
