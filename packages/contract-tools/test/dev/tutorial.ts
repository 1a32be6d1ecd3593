/** A code block of a tutorial: its language, its purpose and its text. */
export interface Block {
  language: string;
  /** A file to change, the source of an output, or the end of a command: `fails`, or `loop` if it keeps running. */
  subject: string | undefined;
  /** The line above which the block is inserted. */
  before: string | undefined;
  text: string;
}

/** The code blocks of a document in Markdown, in order. */
export function blocksOf(markdown: string): Block[] {
  const fences = markdown.matchAll(/^```(\w+)(?: ([^\s"=]+))?(?: before="([^"\n]+)")?\n(.*?)^```$/gms);
  return Array.from(fences, ([, language, subject, before, text]) => ({
    language: language!,
    subject,
    before,
    text: text!,
  }));
}

/** The steps of a reader, and the output that the tutorial promises. */
export interface Step {
  name: string;
  actions: Block[];
  promise: Block;
}

/** Groups the steps by the promise that follows them. No step may follow the last promise. */
export function stepsOf(blocks: Block[]): Step[] {
  const steps: Step[] = [];
  let actions: Block[] = [];
  for (const block of blocks) {
    if (block.language !== "text") {
      actions.push(block);
      continue;
    }
    const done = actions.map(({ language, subject, text }) => (language === "sh" ? text.trim() : subject));
    steps.push({ name: `${steps.length + 1}. ${done.join(", ") || "the same"}`, actions, promise: block });
    actions = [];
  }
  if (actions.length > 0) throw new Error(`Nothing is promised after:\n${actions.at(-1)!.text}`);
  return steps;
}

/** Returns a file with a block inserted: as the whole file, above a line, at the end, or by a diff. */
export function applied({ language, before, text }: Block, file: string): string {
  if (before !== undefined) return replacedOnce(file, `\n${before}\n`, `\n${text}${before}\n`);
  if (language === "diff") return patched(file, text);
  return language === "ts" ? text : file + text;
}

function patched(file: string, diff: string): string {
  const lines = diff.trimEnd().split("\n");
  const side = (sign: string) =>
    lines.filter((line) => line.startsWith(" ") || line.startsWith(sign)).map((line) => line.slice(1));
  return replacedOnce(file, side("-").join("\n"), side("+").join("\n"));
}

function replacedOnce(file: string, text: string, replacement: string): string {
  const parts = file.split(text);
  if (parts.length !== 2)
    throw new Error(`The tutorial changes a place that exists ${parts.length - 1} times:\n${text}`);
  return parts.join(replacement);
}

/** Returns the first promised line that is missing in the output, in order; `…` matches any text. */
export function brokenPromise(promise: string, output: string): string | undefined {
  const lines = output.split("\n");
  return promise
    .trim()
    .split("\n")
    .find((line) => {
      const pattern = new RegExp(line.split("…").map(literally).join(".*"));
      const at = lines.findIndex((candidate) => pattern.test(candidate.replaceAll(/ +/g, " ")));
      lines.splice(0, at + 1);
      return at === -1;
    });
}

function literally(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`);
}
