import { existsSync, globSync, readFileSync } from "node:fs";
import { join, matchesGlob, posix, resolve } from "node:path";
import { z } from "zod";
import type { ContractChange } from "./comparison/compare.ts";
import { decided, decisionsBeside } from "./comparison/decisions.ts";
import { git, isRevision } from "./comparison/sides.ts";
import { parseConfiguration } from "./configuration.ts";
import { CONTRACT_FILE, CONTRACT_LIST, ROOT } from "./paths.ts";

/** A contract to lint, check and compare, with absolute paths. */
export interface ContractEntry {
  /** Its name in reports; absent for one that is not in `contracts.yaml`. */
  name?: string;
  contract: string;
  /** Its path at the revision that is compared with, if it has moved. */
  before?: string | undefined;
  /** What it is compared with unless the command says it. */
  base?: string | undefined;
  /** Default: `released` beside it. */
  released?: string;
}

/** The options that choose among the contracts, each for one contract alone. */
export type Selection = Pick<Partial<ContractEntry>, "contract" | "released">;

const isPattern = (path: string) => /[*?[\]{}]/.test(path);
const text = z.string().regex(/^\P{Cc}+$/u, "Write one line of text");

const configuration = z.strictObject({
  contracts: z
    .array(
      z
        .strictObject({
          /** A path from the folder of the file, or a pattern such as `services/*\/openapi.yaml`. */
          contract: text
            .transform((path) => posix.normalize(path))
            .refine((path) => !/^(\/|\.\.\/)/.test(path), "The path leads out of the folder of this file"),
          name: text.optional(),
          base: text.optional(),
          released: text.optional(),
        })
        .refine(
          ({ contract, ...others }) => !isPattern(contract) || Object.keys(others).length === 0,
          "An entry with a pattern cannot have other keys, because the pattern may match several contracts",
        ),
    )
    .min(1),
});

/**
 * Returns the contracts that a command is about: the one that `--contract` names by its path or its name in `contracts.yaml`, all of
 * `contracts.yaml`, or that of the repository. `base` and `other` are the sides of a comparison. Contracts that only `base` has come last.
 */
export async function selectedContracts(
  { contract, released }: Selection,
  base?: string,
  other?: string,
): Promise<ContractEntry[]> {
  const fromRevision = base === undefined || isRevision(base);
  const isPair = other !== undefined && !(fromRevision && isRevision(other));
  const listed = isPair ? undefined : await listedAt(other);
  const earlier = fromRevision && base !== undefined ? await listedAt(base).catch(() => []) : []; // a pull request may mend it
  const entries = listed && withEarlier(listed, earlier ?? []);
  if (entries === undefined || contract !== undefined) {
    const entry = entries?.find((each) => isNamed(each, contract!)) ?? { contract: contract ?? CONTRACT_FILE };
    return [{ ...entry, ...(released !== undefined && { released }) }];
  }
  if (released !== undefined || !fromRevision)
    throw new Error(
      `${CONTRACT_LIST} has several contracts, and ${fromRevision ? "--released" : base} is for one. Name it with --contract.`,
    );
  if (entries.length === 0) throw new Error(`No file matches the patterns in ${CONTRACT_LIST}.`);
  return entries;
}

/** A contract that has moved is the same as long as it has the same name. */
function withEarlier(entries: ContractEntry[], earlier: ContractEntry[]): ContractEntry[] {
  const current = entries.map((entry) => ({
    ...entry,
    before: earlier.find(({ name }) => name === entry.name)?.contract,
  }));
  const isGone = ({ name, contract }: ContractEntry) =>
    !entries.some((entry) => entry.name === name || entry.contract === contract);
  return [...current, ...earlier.filter(isGone)];
}

function isNamed({ name, contract }: ContractEntry, word: string): boolean {
  return name === word || contract === resolve(word);
}

/** Returns the contracts that `contracts.yaml` lists in the working tree, or at a git revision; undefined without the file. */
async function listedAt(revision: string | undefined): Promise<ContractEntry[] | undefined> {
  if (revision === undefined) {
    if (!existsSync(join(ROOT, CONTRACT_LIST))) return undefined;
    const exclude = ["**/node_modules/**"];
    return entriesIn(readFileSync(join(ROOT, CONTRACT_LIST), "utf8"), CONTRACT_LIST, (pattern) =>
      globSync(pattern, { cwd: ROOT, exclude }),
    );
  }
  const source = await git(ROOT, "show", "--end-of-options", `${revision}:./${CONTRACT_LIST}`).catch(() => undefined);
  if (source === undefined) return undefined;
  const files = (await git(ROOT, "ls-tree", "-r", "-z", "--name-only", "--end-of-options", revision)).split("\0");
  return entriesIn(source, `${revision}:${CONTRACT_LIST}`, (pattern) =>
    files.filter((file) => matchesGlob(file, pattern)),
  );
}

/** Returns the entries of a configuration, each contract once. */
function entriesIn(source: string, file: string, matches: (pattern: string) => string[]): ContractEntry[] {
  const { contracts } = parseConfiguration(configuration, source, file);
  const listed = contracts.filter(({ contract }) => !isPattern(contract));
  const matched = contracts.filter(({ contract }) => isPattern(contract)).flatMap(({ contract }) => matches(contract));
  const paths = new Set(matched.map((path) => path.replaceAll("\\", "/")).toSorted());
  for (const { contract } of listed) paths.delete(contract);
  const entries = [...listed, ...Array.from(paths, (contract): (typeof listed)[number] => ({ contract }))].map(
    ({ contract, name = contract, released = releasedFor(contract), base }) => ({
      name,
      contract: resolve(ROOT, contract),
      base,
      released: resolve(ROOT, released),
    }),
  );
  const repeated = entries.find(({ name }, index) => entries.findIndex((one) => one.name === name) !== index);
  if (repeated !== undefined) throw new Error(`${file} has ${repeated.name} twice. Give each contract one name.`);
  return entries;
}

/** Several contracts may be in one folder. */
function releasedFor(contract: string): string {
  const { dir, name } = posix.parse(contract);
  return posix.join(dir, "released", name === "openapi" ? "" : name);
}

/** Returns the change of a contract that only one side of a comparison has. */
export function wholeChange(contract: string, isAdded: boolean): ContractChange[] {
  const change: ContractChange = isAdded
    ? { impact: "additive", place: "the contract", message: "The contract is added. No client relies on it yet." }
    : { impact: "breaking", place: "the contract", message: "The contract is removed. Its clients fail." };
  return decided([change], decisionsBeside(contract));
}
