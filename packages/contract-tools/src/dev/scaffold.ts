#!/usr/bin/env node
/** `pnpm scaffold <operationId>`: writes a stub of a missing handler, and its test. */
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { spawnSync } from "node:child_process";
import { createProgram, runProgram, scriptCommand } from "@openapi-operations/command-line";
import { bundle, CONTRACT_FILE } from "openapi-contract/bundle";
import { ROOT } from "openapi-contract/paths";
import { operationsOf } from "openapi-document";
import { placeOf, REGISTRATIONS, resourceFileOf, testOf, withResource, withStub } from "./scaffold-files.ts";

const program = createProgram("scaffold", {
  description: "Writes a stub of a missing handler, and its test.",
  folder: import.meta.dirname,
  examples: [scriptCommand("scaffold getPet")],
})
  .argument("[operationId]", "an operation of the contract")
  .action(scaffold);

await runProgram(program);

async function scaffold(operationId: string | undefined): Promise<void> {
  const document = await bundle(CONTRACT_FILE);
  const entries = operationsOf(document);
  const entry = entries.find(({ id }) => id === operationId);
  if (entry === undefined) {
    const ids = entries.map(({ id }) => id).join(", ");
    return program.error(
      `error: Name an operation of the contract: ${ids}. Add a new one to openapi/openapi.yaml first.`,
    );
  }
  const place = placeOf(entry, entries);
  const handlers = textOf(place.handlersFile);
  if (handlers !== undefined && hasHandler(handlers, entry.id)) {
    throw new Error(`${entry.id} already has a handler in ${place.handlersFile}. Nothing was written.`);
  }
  const files = {
    [place.handlersFile]: withStub(handlers, entry, place, contractPackage()),
    ...(textOf(place.resourceFile) === undefined && { [place.resourceFile]: resourceFileOf(place) }),
    [REGISTRATIONS]: withResource(readFileSync(join(ROOT, REGISTRATIONS), "utf8"), place),
    ...(textOf(place.testFile) === undefined && { [place.testFile]: testOf(document, entry, place) }),
  };
  // All at once and each as a whole, so that the dev loop sees one save.
  const written = Object.entries(files)
    .filter(([file, text]) => textOf(file) !== text)
    .map(([file, text]) => [file, formatted(file, text)] as const);
  for (const [file, text] of written) {
    mkdirSync(dirname(join(ROOT, file)), { recursive: true });
    writeFileSync(join(ROOT, `${file}~`), text);
    renameSync(join(ROOT, `${file}~`), join(ROOT, file));
  }
  for (const [file] of written) console.log(`wrote ${file}`);
  console.log(
    `Write ${entry.id} in ${place.handlersFile}. The test ${place.testFile} sends the example of the contract. Add the data that it needs.`,
  );
}

/** Returns whether a file has a handler of an operation, stub or not. */
function hasHandler(text: string, id: string): boolean {
  const key = id.replaceAll(/[^\w\s]/g, String.raw`\$&`);
  return new RegExp(`^  (?:async )?(?:${key}\\b|"${key}")`, "m").test(text);
}

function contractPackage(): string {
  return (JSON.parse(readFileSync(join(ROOT, "packages/contract/package.json"), "utf8")) as { name: string }).name;
}

function formatted(file: string, text: string): string {
  const oxfmt = join(ROOT, "node_modules/oxfmt/bin/oxfmt");
  const { status, stdout } = spawnSync(process.execPath, [oxfmt, `--stdin-filepath=${file}`], {
    cwd: ROOT,
    input: text,
    encoding: "utf8",
  });
  return status === 0 ? stdout : text;
}

function textOf(file: string): string | undefined {
  return existsSync(join(ROOT, file)) ? readFileSync(join(ROOT, file), "utf8") : undefined;
}
