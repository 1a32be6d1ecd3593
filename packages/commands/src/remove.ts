/** `node remove.ts <folder>…`: removes folders of the working directory on every system. */
import { rmSync } from "node:fs";

for (const folder of process.argv.slice(2)) rmSync(folder, { recursive: true, force: true });
