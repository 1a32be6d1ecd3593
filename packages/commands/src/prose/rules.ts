import type { Rule } from "markdownlint";
import { IDIOMS } from "./idioms.ts";
import { sentencesOf, wordCount } from "./sentences.ts";

/** The longest sentence that strangers understand at the first reading; the same holds for a phrase in a table. */
const MOST_WORDS = 25;

/** Rejects sentences of more than `MOST_WORDS` words. */
export const sentenceLength: Rule = {
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

/** Rejects sentences with one of `IDIOMS`. */
export const plainWords: Rule = {
  names: ["plain-words"],
  description: "A sentence has no idiom that readers read twice",
  tags: ["prose"],
  parser: "micromark",
  function: ({ parsers }, onError) => {
    for (const { text, source, line } of sentencesOf(parsers.micromark.tokens)) {
      for (const { pattern, advice } of IDIOMS) {
        const found = pattern.exec(text)?.[0];
        if (found !== undefined) onError({ lineNumber: line, detail: `"${found}". ${advice}.`, context: source });
      }
    }
  },
};
