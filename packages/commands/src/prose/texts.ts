import { isScalar, LineCounter, parseDocument, visit } from "yaml";

/** A Markdown text in a file, with the line on which it begins. */
export interface Text {
  markdown: string;
  line: number;
}

/** Block comments that begin a line, and line comments that follow each other. */
const COMMENT = /^[ \t]*\/\*\*?(?<block>[\s\S]*?)\*\/|(?:^[ \t]*\/\/.*\n)+/gm;

/** The keys of OpenAPI whose value is prose. */
const PROSE_KEYS = new Set(["description", "summary"]);

/** The comments of a TypeScript file that stand on lines of their own, without their marks. */
export function commentsOf(code: string): Text[] {
  return [...code.matchAll(COMMENT)].map((match) => ({
    markdown: (match.groups?.["block"] ?? match[0]).replaceAll(/^[ \t]*(\/\/|\*)? ?/gm, ""),
    line: lineAt(code, match.index),
  }));
}

/** The descriptions and summaries of a YAML contract. */
export function descriptionsOf(yaml: string): Text[] {
  const texts: Text[] = [];
  const lines = new LineCounter();
  visit(parseDocument(yaml, { lineCounter: lines }), {
    Pair: (_, { key, value }) => {
      if (!isScalar(key) || !PROSE_KEYS.has(String(key.value)) || !isScalar(value) || !value.range) return;
      const [start, end] = value.range;
      const isBlock = value.type === "BLOCK_LITERAL" || value.type === "BLOCK_FOLDED";
      texts.push({
        // A block keeps its line breaks, so that a sentence is found on its line; its first line is `|` or `>`.
        markdown: isBlock ? unindented(yaml.slice(start, end)).replace(/^.*/, "") : String(value.value),
        line: lines.linePos(start).line,
      });
    },
  });
  return texts;
}

/** Block scalars are indented as a whole by as much as their first line with text. */
function unindented(block: string): string {
  const indent = /\n( +)\S/.exec(block)?.[1] ?? "";
  return block.replaceAll(`\n${indent}`, "\n");
}

function lineAt(text: string, index: number): number {
  return text.slice(0, index).split("\n").length;
}
