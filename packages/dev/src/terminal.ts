import { styleText } from "node:util";

/** The styles of a report by what they mark; no pattern matches text that another one has styled. */
const STYLES: [RegExp, Parameters<typeof styleText>[0]][] = [
  [/^\d\d:\d\d:\d\d/gm, "dim"],
  [/(?<=^ {4})breaking|\d+ breaking|(?<= )[1-9]\d* (?:error|problem)s?(?=[ ,])|did not start|is not running/gm, "red"],
  [/(?<=^ {4})additive|(?<= )no errors(?=[ ,])|(?<=^ {2}service +)(?:re)?started/gm, "green"],
  [/still runs the previous (?:code|contract)|the contract is invalid|edited by hand/g, "yellow"],
  [/[\w./-]+:\d+:\d+(?= {2})/g, "cyan"],
  [/^ {2}\w+/gm, "bold"], // last, because another pattern starts with the name of a section
];

/** Returns a part of the report with colours if standard output shows them, and unchanged otherwise, as with `NO_COLOR`. */
export function styled(text: string): string {
  return STYLES.reduce((part, [pattern, style]) => part.replaceAll(pattern, (match) => styleText(style, match)), text);
}

/**
 * Runs the action of each pressed key until `signal` aborts. Returns false, and reads nothing, if standard input is no terminal.
 * The terminal sends Ctrl+C as a key meanwhile.
 */
export function readKeys(actions: Readonly<Record<string, () => void>>, signal: AbortSignal): boolean {
  const { stdin } = process;
  if (!stdin.isTTY) return false;
  stdin.setRawMode(true);
  stdin.setEncoding("utf8").on("data", (keys: string) => {
    for (const key of keys) actions[key]?.();
  });
  signal.addEventListener("abort", () => stdin.setRawMode(false).pause());
  return true;
}
