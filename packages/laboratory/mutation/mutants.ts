import { changesAt, type Change } from "./operators.ts";
import { placesOf, type Node, type Place } from "./syntax.ts";

/** A change to one file, with its place. */
export interface Mutant extends Change {
  /** The path from the folder of the package. */
  file: string;
  line: number;
  original: string;
  /** The offset of the recorder (see `withRecorders`) that runs whenever the changed code runs. */
  point: number;
}

/** Returns every mutant of a file, sorted by place. The same source gives the same mutants. */
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

/** Returns the source with the change applied. */
export function applyMutant(source: string, { start, end, replacement }: Change): string {
  return source.slice(0, start) + replacement + source.slice(end);
}

/** Describes a change in one short line. */
export function describeMutant({ operator, original, replacement }: Mutant): string {
  const short = (text: string): string => {
    const line = text.replaceAll(/\s+/g, " ");
    return line.length > 80 ? `${line.slice(0, 77)}…` : line;
  };
  const after = replacement === "" || replacement === ";" ? "removed" : short(replacement);
  return `${operator}: ${short(original)} → ${after}`;
}

/**
 * Returns the source with a call of `globalThis.mutationPoint` before each statement and in each arrow function without a
 * block. Types and line numbers do not change. Without that function, nothing is called.
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

/** Returns the offset of the nearest recorder that runs before the place. The recorder of a block or function is inside it. */
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
