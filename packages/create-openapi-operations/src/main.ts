#!/usr/bin/env node
/** `create-service <folder>`: creates the repository of a service from a contract, or from answers to a few questions. */
import { existsSync, readdirSync, statSync } from "node:fs";
import { basename, resolve } from "node:path";
import * as prompts from "@clack/prompts";
import { createProgram, PNPM, runProgram, withProgress } from "@openapi-operations/command-line";
import { create, type Created, withTemporaryContract } from "./create.ts";
import { fieldsOf, FIELD_TYPES, firstContract, type FirstResource, pluralOf } from "./first-contract.ts";
import { type Names, namesOf } from "./names.ts";
import { REPOSITORY } from "./project.ts";
import { shortPath, summaryText } from "./summary.ts";

interface Options {
  contract?: string;
  name?: string;
  resource?: string;
  fields?: string;
  vendor?: string;
  install: boolean;
}

const COMMAND = REPOSITORY ? `${PNPM} create-service` : "npm create openapi-operations@latest --";

const program = createProgram("create-service", {
  description:
    "Creates the repository of a service in a new folder, from an OpenAPI document or from a first resource. In a terminal, it asks for what is missing.",
  folder: import.meta.dirname,
  examples: [
    `${COMMAND} ../museum --contract ../museum.yaml`,
    `${COMMAND} ../museum --resource exhibit --fields "title:text year:integer"`,
  ],
})
  .argument("[folder]", "the new folder")
  .option("--contract <file>", "an OpenAPI 3 document in YAML or JSON; files that it refers to are copied, too")
  .option("--name <name>", "the name of the service: its command, packages and settings (default: that of the folder)")
  .option("--resource <name>", "instead of a contract, the name of a first resource, such as exhibit")
  .option("--fields <fields>", `its fields, each with a type: ${Object.keys(FIELD_TYPES).join(", ")}`, "name:text")
  .option("--no-install", "leave the install to the first command")
  .option("--vendor <folder>", "a folder with the packed platform, to copy; it is packed there if it is empty")
  .action(main);

await runProgram(program);

async function main(given: string | undefined, options: Options): Promise<void> {
  const isTerminal = process.stdin.isTTY && process.stdout.isTTY;
  if (isTerminal) prompts.intro("A service from its contract");
  const folder = resolve(given || (await asked("folder", { message: "Which folder?", placeholder: "../museum" })));
  if (existsSync(folder) && (!statSync(folder).isDirectory() || readdirSync(folder).length > 0))
    throw new Error(
      `${given || folder} exists and is not an empty folder. Name a new folder. If an earlier run was stopped there, delete it first.`,
    );
  if (options.contract !== undefined && options.resource !== undefined)
    throw new Error("Give --contract or --resource, not both: a contract names its own resources.");
  const names = namesOf(options.name ?? basename(folder));
  const contract = options.contract ?? (options.resource === undefined ? await askedContract() : undefined);
  if (/^https?:/i.test(contract ?? ""))
    throw new Error(`${contract} is a URL. Download the document first, and give the file.`);
  // A spinner would take Ctrl+C for input, and stand still while another program runs.
  const make = (path: string) =>
    withProgress((progress) => {
      const report = isTerminal ? progress : (step: string) => console.log(step);
      return create(folder, names, path, { report, packed: options.vendor, isInstalled: options.install });
    });
  const first = contract === undefined ? await firstResource(options) : undefined;
  const created = first
    ? await withTemporaryContract(firstContract(names, first), make)
    : await make(resolve(contract!));
  done(folder, names, created, isTerminal);
}

function done(folder: string, names: Names, created: Created, isTerminal: boolean): void {
  const text = summaryText(shortPath(folder, process.cwd()), names, created);
  if (isTerminal) prompts.outro(text);
  else console.log(text);
}

/** Asks for a contract; undefined if there is none. */
async function askedContract(): Promise<string | undefined> {
  const path = await asked("--contract or --resource", {
    message: "Which OpenAPI document? Leave it empty to begin with a resource.",
    placeholder: "../museum.yaml",
    defaultValue: "",
    validate: (text = "") => (text === "" || existsSync(text) ? undefined : `There is no file ${text}.`),
  });
  return path === "" ? undefined : path;
}

async function firstResource({ resource, fields }: Options): Promise<FirstResource> {
  const one =
    resource ??
    (await asked("--resource", {
      message: "What is the first resource called? One word, in the singular.",
      placeholder: "exhibit",
    }));
  if (!/^[a-z][A-Za-z0-9]{0,39}$/.test(one))
    throw new Error(
      `${JSON.stringify(one)} cannot name a resource. Give one word that begins with a lower-case letter.`,
    );
  const text =
    resource === undefined
      ? await asked("--fields", {
          message: `Its fields, each with a type: ${Object.keys(FIELD_TYPES).join(", ")}`,
          placeholder: "title:text year:integer",
          validate: (given = "") => problemOf(() => fieldsOf(given)),
        })
      : fields!;
  return { one, many: pluralOf(one), fields: fieldsOf(text) };
}

function problemOf(work: () => unknown): string | undefined {
  try {
    work();
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

/** Asks in a terminal. Without one, throws and names what to give instead. */
async function asked(instead: string, question: prompts.TextOptions): Promise<string> {
  if (!process.stdin.isTTY)
    throw new Error(`There is no terminal to ask in: give ${instead}. Add --help to see the usage.`);
  const text = await prompts.text(question);
  if (!prompts.isCancel(text)) return text;
  prompts.cancel("Nothing was written.");
  process.exit(1);
}
