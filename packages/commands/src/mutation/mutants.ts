import { changesAt, type Change } from "./operators.ts";
import { placesOf, type Node, type Place } from "./syntax.ts";

/** A change to one file, and where it is. */
export interface Mutant extends Change {
  /** From the package's folder. */
  file: string;
  line: number;
  original: string;
  /** The point of `withRecorders` that is reached whenever the changed code runs. */
  point: number;
}

/** Every mutant of a file, in the order of its text; the same source has the same ones. */
export function mutantsOf(source: string, file: string): Mutant[] {
  const places = placesOf(source, file);
  const mutants = places.flatMap((place) =>
    changesAt(place, source).map((change) => ({
      ...change,
      file,
      line: source.slice(0, change.start).split("\n").length,
      original: source.slice(change.start, change.end),
      point: pointOf(place),
    })),
  );
  const unique = new Map(mutants.map((mutant) => [`${mutant.start} ${mutant.end} ${mutant.replacement}`, mutant]));
  return [...unique.values()].toSorted((a, b) => a.start - b.start || a.end - b.end);
}

/** The source after the change. */
export function applyMutant(source: string, { start, end, replacement }: Change): string {
  return source.slice(0, start) + replacement + source.slice(end);
}

/** How a change reads in the report: whole lines shortened to one. */
export function describeMutant({ operator, original, replacement }: Mutant): string {
  const short = (text: string): string => {
    const line = text.replaceAll(/\s+/g, " ");
    return line.length > 80 ? `${line.slice(0, 77)}…` : line;
  };
  const after = replacement === "" || replacement === ";" ? "removed" : short(replacement);
  return `${operator}: ${short(original)} → ${after}`;
}

/**
 * The source with a call of `globalThis.mutationPoint` at each statement and in each arrow function without a block.
 * Types and lines stay as they are, and where the function is missing nothing is called.
 */
export function withRecorders(source: string, file: string): string {
  const insertions: [offset: number, text: string][] = [];
  for (const place of placesOf(source, file)) {
    const call = `(globalThis as any).mutationPoint?.("${file}", ${place.node.start})`;
    if (isStatement(place)) insertions.push([place.node.start, `${call};`]);
    else if (isArrowBody(place)) insertions.push([place.node.start, `(${call}, `], [place.node.end, ")"]);
  }
  let recording = source;
  for (const [offset, text] of insertions.toSorted(([a], [b]) => b - a))
    recording = recording.slice(0, offset) + text + recording.slice(offset);
  return recording;
}

/** The nearest recorder that runs no later than the place; that of a block or of a function is inside. */
function pointOf({ node, ancestors }: Place): number {
  const nodes = [node, ...ancestors];
  for (const [index, at] of nodes.entries()) {
    const body = (at.type === "FunctionDeclaration" ? (at["body"] as Node) : at)["body"];
    const first = at.type === "BlockStatement" || at.type === "FunctionDeclaration" ? (body as Node[])[0] : undefined;
    if (first !== undefined && (index === 0 || at.type === "FunctionDeclaration")) return first.start;
    const place = { node: at, ancestors: nodes.slice(index + 1) };
    if (isStatement(place) || isArrowBody(place)) return at.start;
  }
  return 0;
}

/** Whether another statement can stand before this one. */
function isStatement({ node, ancestors: [parent] }: Place): boolean {
  if (node.type === "FunctionDeclaration" || typeof node["directive"] === "string") return false;
  if (parent?.type === "Program" || parent?.type === "BlockStatement") return true;
  return parent?.type === "SwitchCase" && (parent["consequent"] as Node[]).includes(node);
}

function isArrowBody({ node, ancestors: [parent] }: Place): boolean {
  return parent?.type === "ArrowFunctionExpression" && parent["body"] === node && node.type !== "BlockStatement";
}
