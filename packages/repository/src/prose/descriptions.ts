import { isScalar, LineCounter, parseDocument, visit } from "yaml";

/** A Markdown text in a file, with the line on which it begins. */
export interface Text {
  markdown: string;
  line: number;
}

/** The keys of OpenAPI whose value is prose. */
const PROSE_KEYS = new Set(["description", "summary"]);

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
