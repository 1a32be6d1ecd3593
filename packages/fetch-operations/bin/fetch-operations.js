#!/usr/bin/env node
import { main } from "fetch-operations/generate";

await main(process.argv.slice(2));
