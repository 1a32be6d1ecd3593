import { fileURLToPath } from "node:url";
import { createProgram } from "@platform/command-line";
import { surfaceOf } from "./surface.ts";

createProgram("surface", {
  description: "Prints each export of the published packages with its type.",
  folder: import.meta.dirname,
}).parse();

console.log(surfaceOf(fileURLToPath(new URL("../../..", import.meta.url))));
