/** Measures streams and uploads: `node bench/streams.ts [rounds] [part of a title]`. */
import { fileURLToPath } from "node:url";
import { installFolder } from "@platform/bench-support/install";

const census = new URL("../census/", import.meta.url); // its lockfile has the other libraries
installFolder(fileURLToPath(census));
await import(new URL("bench/streams/main.ts", census).href);
