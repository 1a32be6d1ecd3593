import { isNode, type Node, type Place } from "./syntax.ts";

/** A change of the source: `replacement` for the text between two offsets. */
export interface Change {
  operator: string;
  start: number;
  end: number;
  replacement: string;
}

type Operator = (place: Place, source: string) => Omit<Change, "operator">[];

const SWAPS: Record<string, string[]> = {
  "===": ["!=="],
  "!==": ["==="],
  "<": ["<=", ">"],
  "<=": ["<", ">"],
  ">": [">=", "<"],
  ">=": [">", "<"],
  "+": ["-"],
  "-": ["+"],
  "*": ["/"],
  "/": ["*"],
  "%": ["*"],
  "&": ["|"],
  "|": ["&"],
  "<<": [">>"],
  ">>": ["<<"],
  "&&": ["||"],
  "||": ["&&"],
  "++": ["--"],
  "--": ["++"],
  "+=": ["-="],
  "-=": ["+="],
  "*=": ["/="],
  "??=": ["="],
  "||=": ["="],
  "&&=": ["="],
};

const METHODS: Record<string, string> = {
  some: "every",
  every: "some",
  startsWith: "endsWith",
  endsWith: "startsWith",
  min: "max",
  max: "min",
  floor: "ceil",
  ceil: "floor",
  toLowerCase: "toUpperCase",
  toUpperCase: "toLowerCase",
  find: "findLast",
  findLast: "find",
  indexOf: "lastIndexOf",
  lastIndexOf: "indexOf",
  push: "unshift",
  shift: "pop",
  allSettled: "all",
  any: "all",
};
/** Methods whose call is replaced by the object, which has the same type or a similar one. */
const DROPPED_METHODS = new Set(
  "trim slice filter flat sort toSorted reverse toReversed replace replaceAll normalize concat unref".split(" "),
);

/** The mutation operators by their names in the report. Each runs on every node. */
const OPERATORS: Record<string, Operator> = {
  condition: ({ node }) =>
    conditionOf(node).flatMap(([test, values]) => values.map((replacement) => replace(test, replacement))),
  operator: ({ node }, source) => {
    const [left, right] = operandsOf(node);
    const swapped = SWAPS[node["operator"] as string];
    if (left === undefined || right === undefined || swapped === undefined) return [];
    return swapped.map((replacement) => ({ ...operatorRange(left, right, node, source), replacement }));
  },
  operand: ({ node }, source) => {
    const [left, right] = operandsOf(node);
    if (node.type !== "LogicalExpression" || left === undefined || right === undefined) return [];
    return [left, right].map((side) => replace(node, source.slice(side.start, side.end)));
  },
  update: ({ node }, source) => {
    if (node.type !== "UpdateExpression") return [];
    return [
      replace(
        node,
        source.slice(node.start, node.end).replace(/\+\+|--/, (text) => SWAPS[text]![0]!),
      ),
    ];
  },
  negation: ({ node }) =>
    node.type === "UnaryExpression" && ["!", "-"].includes(node["operator"] as string)
      ? [{ start: node.start, end: (node["argument"] as Node).start, replacement: "" }]
      : [],
  boolean: ({ node }) =>
    node.type === "Literal" && typeof node["value"] === "boolean" ? [replace(node, String(!node["value"]))] : [],
  string: ({ node, ancestors }) => {
    const text = textOf(node);
    if (text === undefined || isName(node, ancestors[0]) || isMessage(text, ancestors)) return [];
    return [replace(node, text === "" ? '"other"' : '""')];
  },
  pattern: ({ node }) => {
    const regex = node["regex"] as { pattern: string; flags: string } | undefined;
    if (node.type !== "Literal" || regex === undefined) return [];
    const changed = [
      regex.pattern.replace(/^\^/, ""),
      regex.pattern.replace(/(?<!\\)\$$/, ""),
      regex.pattern.replace(/(?<!\\)\+/, "*"),
    ];
    return changed
      .filter((pattern) => pattern !== regex.pattern && pattern !== "")
      .map((pattern) => replace(node, `/${pattern}/${regex.flags}`));
  },
  "optional chain": ({ node }, source) => {
    if (node["optional"] !== true || !["MemberExpression", "CallExpression"].includes(node.type)) return [];
    const before = (node["object"] ?? node["callee"]) as Node;
    const start = source.indexOf("?.", before.end);
    return [
      { start, end: start + 2, replacement: node.type === "MemberExpression" && node["computed"] !== true ? "." : "" },
    ];
  },
  method: ({ node }, source) => {
    const callee = node["callee"] as Node | undefined;
    if (node.type !== "CallExpression" || callee?.type !== "MemberExpression" || callee["computed"] === true) return [];
    const property = callee["property"] as Node;
    const object = callee["object"] as Node;
    const name = property["name"] as string;
    const other = Object.hasOwn(METHODS, name) ? METHODS[name] : undefined;
    if (other !== undefined) return [replace(property, other)];
    return DROPPED_METHODS.has(name) ? [replace(node, source.slice(object.start, object.end))] : [];
  },
  "array or object": ({ node }) => {
    if (node.type === "ArrayExpression" && (node["elements"] as unknown[]).length > 0) return [replace(node, "[]")];
    return node.type === "ObjectExpression" && (node["properties"] as unknown[]).length > 0
      ? [replace(node, "{}")]
      : [];
  },
  spread: ({ node, ancestors }, source) => {
    if (node.type !== "SpreadElement" || /^(Call|New)Expression$/.test(ancestors[0]?.type ?? "")) return [];
    const comma = /^\s*,/.exec(source.slice(node.end))?.[0].length ?? 0;
    return [{ start: node.start, end: node.end + comma, replacement: "" }];
  },
  statement: ({ node, ancestors }) => {
    const removable = ["ExpressionStatement", "ThrowStatement", "ContinueStatement", "BreakStatement"];
    if (!removable.includes(node.type) || typeof node["directive"] === "string") return [];
    return ancestors[0]?.type === "SwitchCase" && node.type === "BreakStatement" ? [] : [replace(node, ";")];
  },
  return: ({ node }) => {
    const { argument } = node;
    return node.type === "ReturnStatement" && isNode(argument) && argument["name"] !== "undefined"
      ? [replace(node, "return;")]
      : [];
  },
  block: ({ node, ancestors }) => {
    if (node.type !== "BlockStatement") return [];
    const { length } = node["body"] as unknown[];
    return length > 1 || (length === 1 && /Function/.test(ancestors[0]?.type ?? "")) ? [replace(node, "{}")] : [];
  },
};

/** Returns every change of the operators at `place`. */
export function changesAt(place: Place, source: string): Change[] {
  return Object.entries(OPERATORS).flatMap(([operator, changes]) =>
    changes(place, source).map((change) => ({ operator, ...change })),
  );
}

function replace(node: Node, replacement: string): Omit<Change, "operator"> {
  return { start: node.start, end: node.end, replacement };
}

/** Returns the condition of a statement or `?:` with its replacements. A loop condition never becomes true, to avoid endless loops. */
function conditionOf(node: Node): [Node, string[]][] {
  const { test, type } = node;
  if (!isNode(test)) return [];
  if (type === "IfStatement" || type === "ConditionalExpression") return [[test, ["true", "false"]]];
  return ["WhileStatement", "ForStatement", "DoWhileStatement"].includes(type) ? [[test, ["false"]]] : [];
}

function operandsOf(node: Node): (Node | undefined)[] {
  if (!["BinaryExpression", "LogicalExpression", "AssignmentExpression"].includes(node.type)) return [];
  return [node["left"] as Node, node["right"] as Node];
}

function operatorRange(left: Node, right: Node, node: Node, source: string): { start: number; end: number } {
  const operator = node["operator"] as string;
  const start = left.end + source.slice(left.end, right.start).lastIndexOf(operator);
  return { start, end: start + operator.length };
}

/** Returns the text of a string, or of a template with `$` for its values. */
function textOf(node: Node): string | undefined {
  if (node.type === "Literal" && typeof node["value"] === "string") return node["value"];
  if (node.type !== "TemplateLiteral") return undefined;
  return (node["quasis"] as { value: { cooked: string } }[]).map(({ value }) => value.cooked).join("$");
}

/** Whether a string names a property, or is the text of a tagged template. */
function isName(node: Node, parent: Node | undefined): boolean {
  if (parent?.type === "TaggedTemplateExpression") return true;
  return (parent?.["key"] === node && parent["computed"] !== true) || parent?.type === "ImportExpression";
}

/** Whether a text is a message for people: it has several words, contains `…`, or stands in a new error. */
function isMessage(text: string, ancestors: Node[]): boolean {
  const inError = ancestors.slice(0, 3).some(({ type, callee }) => {
    return type === "NewExpression" && isNode(callee) && String(callee["name"]).endsWith("Error");
  });
  return inError || /[\p{L}$][,:;.]? [\p{L}$]|…/u.test(text);
}
