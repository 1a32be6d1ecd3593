#!/usr/bin/env node
// pnpm runs this for a command of the root that is started in the folder of a package, where pnpm finds no script of its name.
import { relative, resolve } from "node:path";

const root = relative(process.cwd(), resolve(import.meta.dirname, "../../.."));
console.error(`This is a command of the root of the repository. Start it there: cd ${root || "."}`);
process.exitCode = 2;
