import { globSync } from "node:fs";
import { pnpm, type Repository } from "./workspace.ts";

/** Leaves the contract's own layout alone if it differs from the formatter's. */
export function formatContract(repository: Repository): void {
  if (pnpm(repository, "exec", "oxfmt", "--check", "openapi").ok) return;
  const config = repository.read(".oxfmtrc.json");
  const patterns = '    "openapi/**/*.{yaml,yml,json}",\n';
  repository.write(
    ".oxfmtrc.json",
    config.replace('  "ignorePatterns": [\n', (start) => start + patterns),
  );
}

/** Lists the contract's files in `.proseignore` if their sentences do not meet the rules of prose. */
export function acceptProse(repository: Repository): void {
  const contract = globSync("openapi/*.yaml", { cwd: repository.root });
  if (pnpm(repository, "exec", "node", "packages/repository/src/prose.ts", ...contract).ok) return;
  repository.write(
    ".proseignore",
    "# Pages and descriptions that do not meet the rules of prose yet. Shorten their sentences, then remove a line.\nopenapi/*.yaml\n",
  );
}

/** The folders whose code and prose the adoption has written. */
const WITH_WORDS_OF_THE_CONTRACT = ["*.md", "openapi/**", "apps/server/**", "packages/{client,command-line}/**"];

/** The parts of the configuration of the spelling check in use. */
interface SpellingConfig {
  ignorePaths: string[];
  /** Forbidden words, each with its replacement after `->`. */
  flagWords: string[];
}

/**
 * Adds the words that the spelling check does not know to `openapi/words.txt`: names of the contract, and in its code. Words that
 * the contract uses are no longer forbidden.
 */
export function acceptWords(repository: Repository): void {
  const config = JSON.parse(repository.read("cspell.json")) as SpellingConfig;
  const dictionary = { name: "contract", path: "./openapi/words.txt", addWords: true };
  const own = { ...config, dictionaryDefinitions: [dictionary], dictionaries: ["contract"] };
  own.ignorePaths.push("openapi/words.txt");
  const known = new Set<string>();
  const write = () => {
    repository.write("cspell.json", `${JSON.stringify(own, null, 2)}\n`);
    repository.write("openapi/words.txt", known.size === 0 ? "" : `${[...known].toSorted().join("\n")}\n`);
  };
  const args = ["--words-only", "--unique", "--no-progress", "--no-summary", ...WITH_WORDS_OF_THE_CONTRACT];
  // A word that is known now may divide the letters of an id otherwise, so that other parts of it are unknown.
  for (let before = -1; before < known.size;) {
    before = known.size;
    write();
    const { output } = pnpm(repository, "exec", "cspell", ...args);
    const words = output.split("\n").filter((word) => /^[\p{L}\p{M}'’]+$/u.test(word));
    for (const word of words) known.add(word.toLowerCase());
  }
  own.flagWords = own.flagWords.filter((flagged) => !known.delete(flagged.split("->")[0]!));
  write();
}
