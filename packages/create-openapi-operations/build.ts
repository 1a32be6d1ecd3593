/** Copies the files of the petstore that a service begins with, and their versions, into the published package. */
import { cpSync, globSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { PRODUCT_FILES, readVersions, REPOSITORY } from "./src/project.ts";

const product = join(import.meta.dirname, "dist/product");
rmSync(product, { recursive: true, force: true });
mkdirSync(product);
for (const file of globSync(PRODUCT_FILES, { cwd: REPOSITORY! })) cpSync(join(REPOSITORY!, file), join(product, file));
writeFileSync(join(product, "versions.json"), JSON.stringify(readVersions(), null, 2));
