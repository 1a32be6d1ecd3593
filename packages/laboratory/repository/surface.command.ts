import { fileURLToPath } from "node:url";
import { surfaceOf } from "./surface.ts";

console.log(surfaceOf(fileURLToPath(new URL("../../..", import.meta.url))));
