import type { CharSet, Element, Expression, Concatenation } from "refa";

/** The size of an automaton that is followed. A pattern with a larger one counts as unambiguous. */
const MAX_NODES = 2_000;
/** The copies of a part that is repeated at least as often. More of them would make the automaton too large. */
const MAX_COPIES = 50;
/** The length of the texts that are tried. */
const TRIED_LENGTH = 200;
/** After this length, the ways of a costly pattern have grown faster than this for each character. */
const SLOW = { length: 40, growth: 0.2 };
/** The most characters that are tried, one of each set that the pattern distinguishes. */
const MAX_CHARACTERS = 64;
/** The most transitions that are followed for one pattern. */
const MAX_STEPS = 200_000;
/** The search ends with a text that can be read in more ways. */
const ENOUGH_WAYS = 1e9;

/** A node of an automaton. It reads a character of its set, or nothing. */
interface Node {
  set?: CharSet;
  next: Node[];
}

/** The number of ways to reach each node. */
type Ways = Map<Node, number>;

/**
 * Returns the most ways in which a pattern can read a text, as far as a bounded search finds. A backtracking engine tries all
 * of them if the text does not match in the end. From the start and from each repeated part, the search takes the character
 * with the most ways each time. From the start, it repeats each character too. It ignores assertions and back-references.
 */
export async function waysToRead(expression: RegExp): Promise<number> {
  const { JS } = await import("refa"); // loaded only for a pattern that is not plain
  const end: Node = { next: [] };
  try {
    const parser = JS.Parser.fromLiteral(expression);
    const { expression: parsed } = parser.parse({ assertions: "parse", backreferences: "unknown" });
    const { starts, characters } = automatonOf(parsed, end);
    // Without a condition at its end, a pattern matches as soon as it can, so that nothing is tried again.
    const isOpen = !/\$|\(\?<?[=!]|\\[bB\d]/.test(expression.source);
    return mostWays(starts, isOpen ? end : undefined, characters);
  } catch {
    return 1; // refa does not read the pattern, or its automaton is too large
  }
}

/** Returns the automaton of a pattern, in which each character of the pattern is a node of its own. */
function automatonOf(expression: Expression, end: Node): { starts: Node[][]; characters: number[] } {
  const repeated: Node[][] = [];
  const characters = new Set<number>();
  let size = 0;
  const node = (next: Node[], set?: CharSet): Node => {
    if (++size > MAX_NODES) throw new Error("The automaton is too large.");
    return set === undefined ? { next } : { next, set };
  };
  const alternatives = (list: readonly Concatenation[], next: Node[]): Node[] =>
    list.flatMap(({ elements }) => elements.reduceRight((after, element) => before(element, after), next));
  const before = (element: Element, next: Node[]): Node[] => {
    if (element.type === "CharacterClass") {
      for (const { min } of element.characters.ranges) if (characters.size < MAX_CHARACTERS) characters.add(min);
      return [node(next, element.characters)];
    }
    if (element.type === "Assertion") return [...alternatives(element.alternatives, []), ...next];
    if (element.type === "Alternation") return [node(alternatives(element.alternatives, next))];
    if (element.type !== "Quantifier") return next;
    const { min, max } = element;
    let first = next;
    if (max === Infinity) {
      const loop = node([]);
      loop.next.push(...alternatives(element.alternatives, [loop]), ...next);
      first = [loop];
    } else
      for (let copy = Math.max(min, max - MAX_COPIES); copy < max; copy++)
        first = [node([...alternatives(element.alternatives, first), ...next])];
    for (let copy = Math.max(0, min - MAX_COPIES); copy < min; copy++)
      first = [node(alternatives(element.alternatives, first))];
    if (max > 1 && !isOneSet(element.alternatives)) repeated.push(first);
    return first;
  };
  const first = alternatives(expression.alternatives, [end]);
  return { starts: [first, ...repeated], characters: [...characters] };
}

/** Returns whether a repeated part is one character of a set, which can be read in one way. */
function isOneSet([first, ...others]: readonly Concatenation[]): boolean {
  return others.length === 0 && first?.elements.length === 1 && first.elements[0]!.type === "CharacterClass";
}

function mostWays(starts: Node[][], end: Node | undefined, characters: number[]): number {
  let steps = 0;
  /** Adds the ways to nodes that read a character, or to the end. A loop that reads nothing is not repeated (ECMA-262). */
  const reach = (nodes: Node[], count: number, ways: Ways, path: Set<Node>): void => {
    for (const node of nodes) {
      if (++steps > MAX_STEPS || path.has(node)) continue;
      if (node.set !== undefined || node.next.length === 0) ways.set(node, (ways.get(node) ?? 0) + count);
      else {
        path.add(node);
        reach(node.next, count, ways, path);
        path.delete(node);
      }
    }
  };
  const after = (ways: Ways, character: number): Ways => {
    const next: Ways = new Map();
    for (const [node, count] of ways) if (node.set?.has(character) === true) reach(node.next, count, next, new Set());
    return next;
  };
  let most = 1;
  const follow = (start: Node[], choose: (ways: Ways) => Ways): void => {
    let ways: Ways = new Map();
    reach(start, 1, ways, new Set());
    for (let length = 0, total = 1; length < TRIED_LENGTH; length++) {
      if (steps > MAX_STEPS || most > ENOUGH_WAYS || (end !== undefined && ways.has(end))) return;
      if (total === 0 || (length > SLOW.length && total < length * SLOW.growth)) return;
      ways = choose(ways);
      total = totalOf(ways);
      most = Math.max(most, total);
    }
  };
  const afterBest = (ways: Ways): Ways => {
    const all = characters.map((character) => after(ways, character));
    return all.reduce((best, each) => (totalOf(each) > totalOf(best) ? each : best), new Map());
  };
  for (const start of starts) follow(start, afterBest);
  for (const character of characters) follow(starts[0]!, (ways) => after(ways, character));
  return most;
}

function totalOf(ways: Ways): number {
  return [...ways.values()].reduce((total, count) => total + count, 0);
}
