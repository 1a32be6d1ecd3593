/** `pnpm lint:prose`: reports long sentences and idioms in the pages and the contract, and idioms in comments. */
import { existsSync, globSync, readFileSync } from "node:fs";
import { extname, relative, resolve } from "node:path";
import { createProgram } from "@platform/command-line";
import { lint } from "markdownlint/promise";
import { plainWords, sentenceLength } from "./prose/rules.ts";
import { commentsOf, descriptionsOf, type Text } from "./prose/texts.ts";

const root = resolve(import.meta.dirname, "../../..");

/** Changelogs are made of changesets, and generated files of the contract: both sources are read. */
const EXCLUDED = ["**/node_modules/**", "**/generated/**", "**/dist/**", "**/CHANGELOG.md"];
const FILES = ["*.md", ".changeset/*.md", ".github/**/*.md", "openapi/*.{md,yaml}", "{apps,packages}/**/*.{md,ts,tsx}"];

/** The texts of a file and the rules for them, by the file's extension. */
const KINDS: Partial<Record<string, { textsOf: (file: string) => Text[]; config: Record<string, boolean> }>> = {
  ".md": { textsOf: (markdown) => [{ markdown, line: 1 }], config: { "sentence-length": true, "plain-words": true } },
  ".yaml": { textsOf: descriptionsOf, config: { "sentence-length": true, "plain-words": true } },
  ".ts": { textsOf: commentsOf, config: { "plain-words": true } },
  ".tsx": { textsOf: commentsOf, config: { "plain-words": true } },
};

const program = createProgram("lint:prose", {
  description: "Reports long sentences and idioms in the pages and the contract, and idioms in comments.",
  folder: import.meta.dirname,
  examples: ["npx -y pnpm@12.21.0 lint:prose README.md"],
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
  const kind = KINDS[extname(file)];
  if (kind === undefined) return [`${file}: Only ${Object.keys(KINDS).join(", ")} files can be checked.`];
  const texts = kind.textsOf(readFileSync(file, "utf8"));
  const found = await lint({
    strings: Object.fromEntries(texts.map(({ markdown, line }) => [line, markdown])),
    customRules: [sentenceLength, plainWords],
    config: { default: false, ...kind.config },
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
