import { setImmediate } from "node:timers/promises";
import { waysToRead } from "./ambiguity.ts";
import { compilePattern, PLAIN } from "openapi-document";

/** The longest text for which quadratic backtracking is fast: one text, or each of many in a list or a map. */
const SHORT = { once: 500, repeated: 50 };
/** scslre does not analyse longer patterns, because that would take too long. */
const MAX_SOURCE = 1_000;
/** A bounded quantifier with more repetitions is analysed like an unbounded one. */
const FEW_REPETITIONS = 10;
/** Up to this many combinations of bounded repetitions are fast. */
const FEW_COMBINATIONS = 1_000_000;

/**
 * Returns why a pattern takes more than linear time, and the remedy. Returns undefined if no cause is known.
 * `isRepeated` means that a request can hold many texts for this pattern.
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

type Backtracking = "quadratic" | "polynomial" | "exponential";

/** Returns how the number of match attempts grows with the length of a text, if it grows more than linearly. */
async function backtrackingOf(source: string): Promise<Backtracking | undefined> {
  if (PLAIN.test(source) || !/[*+?{]/.test(source)) return undefined;
  const expression = expressionOf(source);
  if (expression === undefined) return undefined;
  await setImmediate(); // a document may have thousands of patterns
  if (source.length > MAX_SOURCE) return (await waysToRead(expression)) > FEW_COMBINATIONS ? "exponential" : undefined;
  const found = await analyse(source);
  if (found === "exponential" || found === "polynomial") return found;
  if ((await waysToRead(expression)) > FEW_COMBINATIONS) return "exponential";
  if (found !== undefined) return found;
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

/** Returns whether a match is attempted from every position, and each attempt may take time linear in the text. */
function mayBeginAnywhere(source: string): boolean {
  const bare = source.replaceAll(/\\.|\[(?:\\.|[^\]\\])*\]/g, "x");
  return !bare.startsWith("^") && /[*+]|\{\d+,\}/.test(bare.replace(/(?:[*+]|\{\d+,\})\??$/, ""));
}

/** Compiles a pattern like ajv. Returns undefined if it does not compile; `ready` reports that. */
function expressionOf(source: string): RegExp | undefined {
  try {
    return compilePattern(source);
  } catch {
    return undefined;
  }
}
