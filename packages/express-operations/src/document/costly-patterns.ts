/** Up to this length, polynomial backtracking of degree 2 takes little time; in a list or a map, up to this one each. */
const SHORT = { once: 500, repeated: 50 };
/** Longer patterns are not analysed, as that takes long. */
const MAX_SOURCE = 1_000;
/** A bounded quantifier that allows more repetitions is analysed like an unbounded one. */
const FEW_REPETITIONS = 10;
/** As many combinations of bounded repetitions take little time. */
const FEW_COMBINATIONS = 1_000_000;
/** Each optional character may double the tries. */
const MANY_OPTIONAL = 20;
const OPTIONAL = /(?<![\\(*+?}])\?/g;

/**
 * Returns why a pattern takes more than linear time, and what to do; undefined where that is not known. `isRepeated` tells that
 * a request can hold many texts that it validates.
 */
export async function costOfPattern(
  source: string,
  { maxLength = Infinity, isRepeated = false }: { maxLength?: number; isRepeated?: boolean } = {},
): Promise<string | undefined> {
  const backtracking = await backtrackingOf(source);
  const short = isRepeated ? SHORT.repeated : SHORT.once;
  if (backtracking === undefined || (backtracking === "quadratic" && maxLength <= short)) return undefined;
  const remedy = backtracking === "quadratic" ? `, or set maxLength to at most ${short}` : "";
  return `the pattern ${source} backtracks. Anchor it, and write it so that a text matches it in one way only${remedy}.`;
}

/** Matches anchored patterns without groups and with at most one quantifier. They are linear. */
const PLAIN = /^\^[^()|*+?{]*(?:[*+]|\{\d+,?\d*\})?[^()|*+?{]*$/;

type Backtracking = "quadratic" | "polynomial" | "exponential";

/** Returns how the tries that a pattern takes grow with the length of a text, where they grow faster than it. */
async function backtrackingOf(source: string): Promise<Backtracking | undefined> {
  if (PLAIN.test(source) || !/[*+?{]/.test(source) || source.length > MAX_SOURCE) return undefined;
  if (expressionOf(source) === undefined) return undefined;
  const found = await analyse(source);
  if (found !== undefined) return found;
  if ([...source.matchAll(OPTIONAL)].length > MANY_OPTIONAL) return "exponential";
  const { unbounded, combinations } = withoutBounds(source);
  const ofUnbounded = unbounded === source ? undefined : await analyse(unbounded);
  if (ofUnbounded === "exponential" || (ofUnbounded !== undefined && combinations > FEW_COMBINATIONS))
    return ofUnbounded;
  return mayBeginAnywhere(source) || /\\(?:[1-9]|k<)/.test(source) ? "quadratic" : undefined;
}

async function analyse(source: string): Promise<Backtracking | undefined> {
  const expression = expressionOf(source);
  if (expression === undefined) return undefined;
  const scslre = await import("scslre"); // loaded only for a pattern that is not plain
  const { reports } = scslre.analyse(expression);
  if (reports.some(({ exponential }) => exponential)) return "exponential";
  if (reports.length > 1) return "polynomial";
  return reports.length === 1 ? "quadratic" : undefined;
}

/** Returns the pattern with bounded quantifiers made unbounded, and how many combinations of repetitions they allow. */
function withoutBounds(source: string): { unbounded: string; combinations: number } {
  let combinations = 1;
  const unbounded = source.replaceAll(/\{(\d+),(\d+)\}/g, (quantifier, from: string, to: string) => {
    const repetitions = Number(to) - Number(from);
    if (repetitions < FEW_REPETITIONS) return quantifier;
    combinations *= repetitions + 1;
    return `{${from},}`;
  });
  return { unbounded, combinations };
}

/** Whether a match is tried from each place of a text, and each of these tries may take as long as the text is. */
function mayBeginAnywhere(source: string): boolean {
  const bare = source.replaceAll(/\\.|\[(?:\\.|[^\]\\])*\]/g, "x");
  return !bare.startsWith("^") && /[*+]|\{\d+,\}/.test(bare.replace(/(?:[*+]|\{\d+,\})\??$/, ""));
}

/** Compiles a pattern as ajv does. A pattern that does not compile is reported by `ready`. */
function expressionOf(source: string): RegExp | undefined {
  try {
    return new RegExp(source, "u");
  } catch {
    return undefined;
  }
}
