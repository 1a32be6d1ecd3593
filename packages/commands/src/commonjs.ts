/** `node commonjs.ts <folder>`: marks the JavaScript files of a folder as CommonJS, in a package whose others are modules. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";

writeFileSync(join(process.argv[2]!, "package.json"), '{ "type": "commonjs" }\n');
