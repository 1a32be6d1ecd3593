import type { MicromarkToken } from "markdownlint";
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

/** A sentence of a Markdown text, with the line on which it begins. */
export interface Sentence {
  /** Without markup; a span of code, an address or an image is one word with a capital. */
  text: string;
  /** As it is written. */
  source: string;
  line: number;
}

/** Blocks that hold prose. Headings are names rather than sentences, and code is not prose. */
const BLOCKS = new Set(["paragraph", "tableHeader", "tableData"]);

/** Inline tokens that count as one word, whatever is in them: code, addresses, images. */
const ONE_WORD: Partial<Record<string, string>> = {
  codeText: "Code",
  autolink: "Link",
  literalAutolink: "Link",
  image: "Image",
};

/** Inline tokens without words: markup, and the indentation of a further line. */
const SILENT = new Set([
  "resource",
  "reference",
  "labelMarker",
  "strongSequence",
  "emphasisSequence",
  "escapeMarker",
  "characterReference",
  "tableCellDivider",
  "htmlText",
  "linePrefix",
  "listItemIndent",
  "blockQuotePrefix",
]);

/** A table's cell lists phrases, which semicolons part as full stops part sentences. */
const PHRASE_END = /(?<=; )/;

const segmenter = new Intl.Segmenter("en", { granularity: "sentence" });

/** The sentences of paragraphs, list items and table cells, in their order. */
export function sentencesOf(tokens: readonly MicromarkToken[]): Sentence[] {
  return tokens.flatMap((token) => (BLOCKS.has(token.type) ? sentencesIn(token) : sentencesOf(token.children)));
}

/** How many of the parts between spaces have a letter or a digit: "contract-first" and "10–15×" are one word each, a dash is none. */
export function wordCount(text: string): number {
  return text.split(/\s+/).filter((part) => /[\p{L}\p{N}]/u.test(part)).length;
}

function sentencesIn(block: MicromarkToken): Sentence[] {
  const pieces = piecesOf(block);
  const text = pieces.map((piece) => piece.text).join("");
  let end = 0;
  return [...segmenter.segment(text)]
    .flatMap(({ segment }) => (block.type === "paragraph" ? [segment] : segment.split(PHRASE_END)))
    .map((part) => ({ text: part.trim(), ...sourceOf(pieces, end, (end += part.length)) }))
    .filter((sentence) => wordCount(sentence.text) > 0);
}

/** A block piece by piece, as it is read and as it is written. */
function piecesOf(token: MicromarkToken): Sentence[] {
  const { type, children, startLine: line, text: source } = token;
  if (SILENT.has(type)) return [];
  if (type === "lineEnding" || type === "hardBreakTrailing") return [{ text: " ", source: " ", line }];
  const word = ONE_WORD[type];
  if (word !== undefined) return [{ text: word, source, line }];
  return children.length > 0 ? children.flatMap(piecesOf) : [{ text: source, source, line }];
}

/** The pieces between two places of their joined text, those at the ends in part. */
function sourceOf(pieces: Sentence[], start: number, end: number): { source: string; line: number } {
  let at = 0;
  const parts: { source: string; line: number }[] = [];
  for (const { text, source, line } of pieces) {
    const [from, to] = [Math.max(start - at, 0), Math.min(end - at, text.length)];
    if (from < to) parts.push({ source: text === source ? text.slice(from, to) : source, line });
    at += text.length;
  }
  return {
    source: parts
      .map((part) => part.source)
      .join("")
      .trim(),
    line: parts[0]!.line,
  };
}
