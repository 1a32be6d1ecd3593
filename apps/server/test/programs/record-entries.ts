import { createHook } from "node:async_hooks";
import { readFileSync } from "node:fs";
import { registerHooks } from "node:module";
import { parseAst } from "rolldown/parseAst";

/**
 * Counts how often each file of ours is entered. Imported before all others (`--import`), it makes each function of our source
 * report when it begins, waits, goes on and ends. An entry is a call, or a resumed `await`, that comes from another of our files.
 * A return is no entry, and neither is a callback that Node's event loop calls.
 */
export const entries = new Map<string, number>();

/** The files of the functions that run now, the innermost last. */
const running: { file: string }[] = [];
/** The file that ran last, and whether a promise has called the function that runs now, and not the event loop. */
let last: string | undefined;
let isResumed = false;

Object.assign(globalThis, {
  __recorder: {
    begin(file: string): object {
      const call = { file };
      this.goOn(call);
      return call;
    },
    goOn(call: { file: string }, awaited?: unknown): unknown {
      const from = running.at(-1)?.file ?? (isResumed ? last : undefined);
      const count = entries.get(call.file) ?? 0;
      entries.set(call.file, from === undefined || from === call.file ? count : count + 1);
      running.push(call);
      return awaited;
    },
    wait(call: { file: string }, awaited: unknown): unknown {
      this.end(call);
      return awaited;
    },
    end(call: { file: string }): void {
      const at = running.lastIndexOf(call);
      if (at === -1) return;
      running.length = at;
      if (at === 0) last = call.file;
    },
  },
});

const promises = new Set<number>();
createHook({
  init: (id, type) => void (type === "PROMISE" && promises.add(id)),
  before: (id) => void (isResumed = promises.has(id)),
}).enable();

interface Node {
  type: string;
  start: number;
  end: number;
  expression?: boolean;
  generator?: boolean;
  body?: Node;
  argument?: Node;
}

/** Returns the source with the calls of `__recorder`. */
function instrument(source: string, file: string): string {
  const inserted: [at: number, text: string][] = [];
  const visit = (node: Node, isIn: boolean): void => {
    const isFunction = /^(?:Arrow)?Function/.test(node.type) && node.body !== undefined && node.body !== null;
    const isShown = isFunction ? node.generator !== true : isIn;
    const { body, argument } = node;
    if (isFunction && isShown) {
      const start = `const __call = __recorder.begin(${JSON.stringify(file)}); try {`;
      const arrow = source.lastIndexOf("=>", body!.start) + 2; // parentheses around a body have no node
      inserted.push(node.expression === true ? [arrow, `{ ${start} return (`] : [body!.start + 1, start]);
    } else if (node.type === "AwaitExpression" && isShown)
      inserted.push([node.start, "__recorder.goOn(__call, "], [argument!.start, "__recorder.wait(__call, "]);
    for (const child of Object.values(node).flat())
      if (typeof child === "object" && child !== null && "type" in child) visit(child as Node, isShown);
    const end = "} finally { __recorder.end(__call); }";
    if (isFunction && isShown)
      inserted.push(node.expression === true ? [node.end, `); ${end} }`] : [body!.end - 1, end]);
    else if (node.type === "AwaitExpression" && isShown) inserted.push([node.end, "))"]);
  };
  visit(parseAst(source, { lang: "ts" }) as unknown as Node, false);
  let text = "";
  let from = 0;
  for (const [at, addition] of inserted.toSorted(([one], [other]) => one - other)) {
    text += source.slice(from, at) + addition;
    from = at;
  }
  return text + source.slice(from);
}

registerHooks({
  load(url, context, nextLoad) {
    const [, file] = /\/((?:apps|packages)\/[^/]+\/src\/.*\.ts)$/.exec(url) ?? [];
    if (file === undefined || url.includes("/node_modules/")) return nextLoad(url, context);
    const source = instrument(readFileSync(new URL(url), "utf8"), file);
    return { format: "module-typescript", source, shortCircuit: true };
  },
});
