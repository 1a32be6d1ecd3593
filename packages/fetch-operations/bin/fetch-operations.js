#!/usr/bin/env node
import { readFileSync } from "node:fs";
import { main } from "fetch-operations/generate";

const { version } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"));
await main(process.argv.slice(2), version);
