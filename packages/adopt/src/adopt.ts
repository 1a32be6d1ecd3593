import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Contract } from "./contract.ts";
import type { ContractFiles } from "./contract-files.ts";
import { clientConfig, clientFiles } from "./client-files.ts";
import { type ClientException, generateClient } from "./client-operations.ts";
import { proposeLintLevels, type UnmetRule } from "./lint-levels.ts";
import { manifests } from "./manifests.ts";
import type { Names } from "./names.ts";
import { pages } from "./pages.ts";
import { contextFile, securityFile, verifiersOf } from "./security-files.ts";
import { SETTINGS_PAGE, settingsPage } from "./settings-page.ts";
import {
  conformanceTest,
  MIGRATIONS_FILE,
  registrationsFile,
  resourceFiles,
  resourcesOf,
  testingFiles,
} from "./service-files.ts";
import { acceptProse, acceptWords, formatContract } from "./text-checks.ts";
import { pnpm, type Ran, remove, renameEverywhere, type Repository, unlinkMissing } from "./workspace.ts";

/** The result of an adoption. */
export interface Adopted {
  unmet: UnmetRule[];
  /** The output of steps that failed. */
  failures: string[];
  /** Operations that the client lacks or names otherwise. */
  exceptions: ClientException[];
  /** `git diff --stat` in one line. */
  statistics: string;
}

/**
 * Turns the repository into that of the contract. Everything it does is in git's index, and can be undone by git. Each step is
 * reported when it begins.
 */
export async function adopt(
  repository: Repository,
  names: Names,
  { files }: ContractFiles,
  contract: Contract,
  removed: string[],
  report: (step: string) => Promise<void>,
): Promise<Adopted> {
  const failures: string[] = [];
  const step = async <Result extends Ran>(title: string, run: () => Result): Promise<Result> => {
    await report(title);
    const result = run();
    if (!result.ok) failures.push(`  ${title}:\n${result.output.trimEnd().split("\n").slice(-20).join("\n")}`);
    return result;
  };
  const lintConfig = repository.read("openapi/redocly.yaml");
  await report(`Removing ${removed.length} files of the petstore, and writing those of ${names.name}`);
  remove(repository, removed);
  renameEverywhere(repository, names);
  for (const [file, text] of files) repository.write(`openapi/${file}`, text);
  repository.write("openapi/redocly.yaml", lintConfig);
  writeOwnFiles(repository, names, contract);
  repository.write(SETTINGS_PAGE, settingsPage(repository.read(SETTINGS_PAGE), contract.security));
  unlinkMissing(repository, (file) => existsSync(join(repository.root, file)));
  const hasTokens = verifiersOf(contract.security).has("token");
  withoutPetstoreLines(repository);
  if (hasTokens) drawTokens(repository);
  manifests(repository, names, hasTokens);
  await step("Installing the packages under their new names", () =>
    pnpm(repository, "install", "--no-frozen-lockfile", "--prefer-offline"),
  );
  await report("Linting the contract");
  const unmet = await proposeLintLevels();
  const generate = () => pnpm(repository, "--filter", `@${names.name}/contract`, "generate");
  await step("Generating types and data", generate);
  const ids = contract.entries.map(({ id }) => id);
  const client = await step("Generating the client", () => generateClient(repository, ids));
  // The code samples have the client's names, which the exceptions change.
  if (client.exceptions.length > 0) await step("Generating code samples with the client's names", generate);
  await step("Formatting", () => {
    formatContract(repository);
    return pnpm(repository, "format");
  });
  await report("Checking the prose and the spelling, and accepting the contract's own words");
  acceptProse(repository);
  acceptWords(repository);
  pnpm(repository, "format");
  repository.git("add", "--all");
  return {
    unmet,
    failures,
    exceptions: client.exceptions,
    statistics: repository.git("diff", "--cached", "--shortstat"),
  };
}

/** Removes the lines of pages about what is removed: the shop front, the laboratory, and a line of the audit trail. */
function withoutPetstoreLines({ read, write }: Repository): void {
  for (const [page, word] of [
    ["ARCHITECTURE.md", "storefront"],
    ["ARCHITECTURE.md", "laboratory"],
    ["ARCHITECTURE.md", "mutation testing"],
    ["apps/server/docs/operations.md", "createPet"],
  ] as const) {
    const lines = read(page).split("\n");
    write(page, lines.filter((line) => !line.includes(word)).join("\n"));
  }
}

/** Adds the server's import of tokens to the graph of the packages. */
function drawTokens({ read, write }: Repository): void {
  write("ARCHITECTURE.md", read("ARCHITECTURE.md").replace("  server --> contract\n", "$&  server --> tokens\n"));
}

/** Writes the files that the team goes on with. */
function writeOwnFiles(
  repository: Repository,
  names: Names,
  { document, entries, security, basePath }: Contract,
): void {
  const resources = resourcesOf(entries);
  const written: Record<string, string> = {
    "packages/command-line/src/name.ts": nameFile(names),
    "apps/server/src/security.ts": securityFile(security),
    "apps/server/src/resources/context.ts": contextFile(security),
    "apps/server/src/registrations.ts": registrationsFile(resources, names),
    "apps/server/src/migrations.ts": MIGRATIONS_FILE,
    "apps/server/test/conformance.test.ts": conformanceTest(names),
    "packages/client/fetch-operations.config.json": JSON.stringify(
      clientConfig(document, entries, names, security, basePath),
      null,
      2,
    ),
    ...testingFiles(names, security),
    ...resourceFiles(document, resources, names),
    ...clientFiles(names, security),
    ...pages(names, security),
  };
  for (const [file, text] of Object.entries(written)) repository.write(file, text);
}

function nameFile({ name, title, upper, lower }: Names): string {
  return `/** The name of the service: its command, its database file, its realm. Every other name below is derived from it. */
export const NAME = "${name}";

/** The name for people, at the beginning of a sentence. */
export const TITLE = "${title}";

/** The beginning of the settings that are named after the service, such as \`${upper}_ENV\`. */
export const SETTINGS_PREFIX = "${upper}";

/** The beginning of API keys, so that whoever finds one knows its service: \`${lower}_live_…\`. */
export const KEY_PREFIX = "${lower}";

/** The beginning of the metrics that are not about HTTP. */
export const METRICS_PREFIX = "${lower}";
`;
}
