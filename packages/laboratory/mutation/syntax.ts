import { parseAst } from "vitest/node";

/** A node of the ESTree into which Vite parses TypeScript. Offsets count UTF-16 code units. */
export interface Node {
  type: string;
  start: number;
  end: number;
  [field: string]: unknown;
}

/** A node with its ancestors, the nearest first. */
export interface Place {
  node: Node;
  ancestors: Node[];
}

/** Type syntax that contains an expression which runs. */
const RUNS = new Set(["TSAsExpression", "TSSatisfiesExpression", "TSNonNullExpression", "TSInstantiationExpression"]);
const NEVER_RUNS = new Set(["ImportDeclaration", "ExportAllDeclaration"]);

/** Returns every node of `source` that runs, outer nodes first; no types and no imports. */
export function placesOf(source: string, file: string): Place[] {
  const places: Place[] = [];
  const visit = (node: Node, ancestors: Node[]): void => {
    if (NEVER_RUNS.has(node.type) || (node.type.startsWith("TS") && !RUNS.has(node.type))) return;
    places.push({ node, ancestors });
    for (const child of childrenOf(node)) visit(child, [node, ...ancestors]);
  };
  visit(parseAst(source, { lang: "ts" }, file) as unknown as Node, []);
  return places;
}

/** Whether `value` is a node of the tree. */
export function isNode(value: unknown): value is Node {
  return typeof value === "object" && value !== null && typeof (value as Node).type === "string";
}

function childrenOf(node: Node): Node[] {
  return Object.values(node).flat().filter(isNode);
}
