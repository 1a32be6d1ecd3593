/** A phrase that readers read twice, and its remedy. */
interface Idiom {
  pattern: RegExp;
  advice: string;
}

/** Phrases only: single words are forbidden in `cspell.json`, which reads names in code too. */
export const IDIOMS: readonly Idiom[] = [
  {
    // A question may begin so.
    pattern: /^(What|Whatever|Who|Whoever|Whom|Whose|That which|Those who|Those that|One that|One who)\b(?!.*\?$)/,
    advice: "Begin with the noun, then the verb",
  },
  { pattern: /\b(that which|those which|\w+ which that|none that|none who|of none that)\b/i, advice: "Name the noun" },
  { pattern: /\b(have|has|had) what\b/i, advice: "Name the noun after the verb" },
  { pattern: /\b(kept|standing) (answer|response|result|header)s?\b/i, advice: 'Write "cached" or "default"' },
  { pattern: /\bof (one|a) turn\b(?! of the event loop)/i, advice: 'Write "of one turn of the event loop"' },
  { pattern: /\b(as of now|of its own accord)\b/i, advice: "Say when, or leave it out" },
  {
    pattern: /\b(there|where|here)(of|in|by|to|upon|with|from)\b/i,
    advice: "Name the noun after a plain preposition",
  },
  { pattern: /\b(lest|save that|save for|whence|thence)\b/i, advice: 'Write "so that … not", "except" or "from"' },
];
