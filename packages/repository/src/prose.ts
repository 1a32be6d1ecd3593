/** `pnpm lint:prose`: hints at long sentences in the pages and the contract. */
import { existsSync, globSync, readFileSync } from "node:fs";
import { extname, relative, resolve } from "node:path";
import { createProgram, PNPM } from "@openapi-operations/command-line";
import type { Rule } from "markdownlint";
import { lint } from "markdownlint/promise";
import { descriptionsOf, sentencesOf, type Text, wordCount } from "./sentences.ts";

const root = resolve(import.meta.dirname, "../../..");

/** Changelogs are generated from changesets, and generated files of the contract: both sources are read. */
const EXCLUDED = ["**/node_modules/**", "**/generated/**", "**/dist/**", "**/CHANGELOG.md"];
const FILES = ["*.md", ".changeset/*.md", ".github/**/*.md", "openapi/*.{md,yaml}", "{apps,packages}/**/*.md"];

/** The texts of a file, by the file's extension. */
const TEXTS: Partial<Record<string, (file: string) => Text[]>> = {
  ".md": (markdown) => [{ markdown, line: 1 }],
  ".yaml": descriptionsOf,
};

/** Sentences and phrases in tables above this length deserve a second look. One that reads at once may stay. */
const MOST_WORDS = 25;

/** Hints at sentences of more than `MOST_WORDS` words. */
const sentenceLength: Rule = {
  names: ["sentence-length"],
  description: `Most sentences have at most ${MOST_WORDS} words`,
  tags: ["prose"],
  parser: "micromark",
  function: ({ parsers }, onError) => {
    for (const { text, source, line } of sentencesOf(parsers.micromark.tokens)) {
      const count = wordCount(text);
      if (count <= MOST_WORDS) continue;
      onError({
        lineNumber: line,
        detail: `${count} words. Does it read at once?`,
        context: source,
      });
    }
  },
};

const program = createProgram("lint:prose", {
  description: "Hints at long sentences in the pages and the contract. Hints do not fail.",
  folder: import.meta.dirname,
  examples: [`${PNPM} lint:prose README.md`],
}).argument("[files...]", "files to check (default: all)");
const args = program.parse().args.map((file) => relative(root, resolve(file)));
process.chdir(root);
if (existsSync(".proseignore")) EXCLUDED.push(...readFileSync(".proseignore", "utf8").split("\n").filter(isPattern));
const files = args.length > 0 ? args : globSync(FILES, { exclude: EXCLUDED }).toSorted();
const unreadable = files.filter((file) => TEXTS[extname(file)] === undefined);
for (const file of unreadable) console.error(`${file}: Only ${Object.keys(TEXTS).join(", ")} files can be checked.`);
const hints = (await Promise.all(files.map(hintsOf))).flat();
for (const hint of hints) console.log(hint);
console.log(`Hints in prose: ${hints.length} (${files.length} files checked)`);
process.exitCode = unreadable.length > 0 ? 1 : 0;

/** Each hint with its place, its rule, and the sentence. */
async function hintsOf(file: string): Promise<string[]> {
  const textsOf = TEXTS[extname(file)];
  if (textsOf === undefined) return [];
  const texts = textsOf(readFileSync(file, "utf8"));
  const found = await lint({
    strings: Object.fromEntries(texts.map(({ markdown, line }) => [line, markdown])),
    customRules: [sentenceLength],
    config: { default: false, "sentence-length": true },
  });
  return texts.flatMap(({ line }) =>
    found[line]!.map(
      ({ lineNumber, ruleNames, errorDetail, errorContext }) =>
        `${file}:${line + lineNumber - 1} ${ruleNames[0]}: ${errorDetail}\n    ${errorContext}`,
    ),
  );
}

/** Whether a line of `.proseignore` is a pattern, and neither empty nor a comment. */
function isPattern(line: string): boolean {
  return line.trim() !== "" && !line.startsWith("#");
}
