/** `pnpm lint:prose`: reports long sentences in the pages and the contract. */
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

/** The longest sentence that strangers understand at the first reading; the same holds for a phrase in a table. */
const MOST_WORDS = 25;

/** Rejects sentences of more than `MOST_WORDS` words. */
const sentenceLength: Rule = {
  names: ["sentence-length"],
  description: `A sentence has at most ${MOST_WORDS} words`,
  tags: ["prose"],
  parser: "micromark",
  function: ({ parsers }, onError) => {
    for (const { text, source, line } of sentencesOf(parsers.micromark.tokens)) {
      const count = wordCount(text);
      if (count <= MOST_WORDS) continue;
      onError({
        lineNumber: line,
        detail: `${count} words, at most ${MOST_WORDS}. Split it.`,
        context: source,
      });
    }
  },
};

const program = createProgram("lint:prose", {
  description: "Reports long sentences in the pages and the contract.",
  folder: import.meta.dirname,
  examples: [`${PNPM} lint:prose README.md`],
}).argument("[files...]", "files to check (default: all)");
const args = program.parse().args.map((file) => relative(root, resolve(file)));
process.chdir(root);
if (existsSync(".proseignore")) EXCLUDED.push(...readFileSync(".proseignore", "utf8").split("\n").filter(isPattern));
const files = args.length > 0 ? args : globSync(FILES, { exclude: EXCLUDED }).toSorted();
const reports = await Promise.all(files.map(errorsOf));
const errors = reports.flat();
for (const error of errors) console.log(error);
console.log(`Errors in prose: ${errors.length} (${files.length} files checked)`);
process.exitCode = errors.length > 0 ? 1 : 0;

/** Each error with its place, its rule, its remedy, and the sentence. */
async function errorsOf(file: string): Promise<string[]> {
  const textsOf = TEXTS[extname(file)];
  if (textsOf === undefined) return [`${file}: Only ${Object.keys(TEXTS).join(", ")} files can be checked.`];
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
