/** `pnpm scaffold <operationId>`: writes a stub of a missing handler, and its test. */
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { spawnSync } from "node:child_process";
import { createProgram, PNPM, runProgram } from "@platform/command-line";
import { bundle, CONTRACT_FILE } from "@platform/contract-tools/bundle";
import { operationsOf } from "openapi-document";
import { placeOf, REGISTRATIONS, resourceFileOf, testOf, withResource, withStub } from "./scaffold-files.ts";

const root = resolve(import.meta.dirname, "../../..");
const program = createProgram("scaffold", {
  description: "Writes a stub of a missing handler, and its test.",
  folder: import.meta.dirname,
  examples: [`${PNPM} scaffold getPet`],
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
    [REGISTRATIONS]: withResource(readFileSync(join(root, REGISTRATIONS), "utf8"), place),
    ...(textOf(place.testFile) === undefined && { [place.testFile]: testOf(document, entry) }),
  };
  // All at once and each as a whole, so that the dev loop sees one save.
  const written = Object.entries(files)
    .filter(([file, text]) => textOf(file) !== text)
    .map(([file, text]) => [file, formatted(file, text)] as const);
  for (const [file, text] of written) {
    mkdirSync(dirname(join(root, file)), { recursive: true });
    writeFileSync(join(root, `${file}~`), text);
    renameSync(join(root, `${file}~`), join(root, file));
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
  return (JSON.parse(readFileSync(join(root, "packages/contract/package.json"), "utf8")) as { name: string }).name;
}

function formatted(file: string, text: string): string {
  const oxfmt = join(root, "node_modules/oxfmt/bin/oxfmt");
  const { status, stdout } = spawnSync(process.execPath, [oxfmt, `--stdin-filepath=${file}`], {
    cwd: root,
    input: text,
    encoding: "utf8",
  });
  return status === 0 ? stdout : text;
}

function textOf(file: string): string | undefined {
  return existsSync(join(root, file)) ? readFileSync(join(root, file), "utf8") : undefined;
}
