/** Terminal recordings as asciicast v2: https://docs.asciinema.org/manual/asciicast/v2/ */

/** An event: seconds since the start, and output of the terminal or a marker. */
export type CastEvent = [seconds: number, kind: "o" | "m", text: string];

/** A character with the classes of its style. */
export interface Cell {
  character: string;
  style: string;
}

/** What a line of the screen shows, in order. A marker has a line of its own. */
export type Line = { since: number; kind: CastEvent[1]; cells: Cell[] }[];

/** The size of the recorded terminal. Its lines are wrapped only when they are shown. */
export const SIZE = { width: 80, height: 24 };

export function castOf(title: string, events: CastEvent[]): string {
  const header = { version: 2, ...SIZE, title, env: { TERM: "xterm-256color" } };
  return [header, ...events].map((line) => `${JSON.stringify(line)}\n`).join("");
}

export function eventsOf(cast: string): CastEvent[] {
  return cast
    .split("\n")
    .slice(1, -1)
    .map((line) => JSON.parse(line) as CastEvent);
}

/**
 * Returns what is on the screen at the end, without what differs from run to run: durations, lines and columns, and the order of
 * the lines of a report, which come as their parts end.
 */
export function textOf(events: CastEvent[]): string {
  const lines = linesOf(events).map((line) => charactersOf(line.at(-1)!.cells));
  const stable = lines.map((line) => line.replaceAll(/\d+\.\d+ s\b|(?<=\.\w+:)\d+(?::\d+)?|\b\d\d:\d\d:\d\d\b/g, "…"));
  return stable.toSorted().join("\n");
}

export function charactersOf(cells: Cell[]): string {
  return cells.map(({ character }) => character).join("");
}

/** What the parameters of SGR set: https://www.ecma-international.org/publications-and-standards/standards/ecma-48/ */
const SGR: Record<string, [part: "weight" | "colour", style: string]> = {
  1: ["weight", "bold"],
  2: ["weight", "dim"],
  22: ["weight", ""],
  31: ["colour", "red"],
  32: ["colour", "green"],
  33: ["colour", "yellow"],
  36: ["colour", "cyan"],
  39: ["colour", ""],
  90: ["colour", "grey"],
};

/** Returns all lines from the first one on. Throws for a control code that our commands do not print. */
export function linesOf(events: CastEvent[]): Line[] {
  const lines: Line[] = [];
  const style = { weight: "", colour: "" };
  let cells: Cell[] = [];
  let column = 0;
  let line: Line = [];
  for (const [since, kind, text] of events) {
    if (kind === "m") {
      lines.push([{ since, kind, cells: Array.from(text, (character) => ({ character, style: "" })) }]);
      continue;
    }
    const show = () => line.push({ since, kind, cells: [...cells] });
    for (const [code, parameter = "", command] of text.matchAll(/(?![\r\n])\p{Cc}\[([?\d]*)([A-Za-z])|[^]/gu)) {
      if (code === "\n") {
        show();
        lines.push(line);
        [line, cells, column] = [[], [], 0];
      } else if (code === "\r") column = 0;
      else if (command === "K" && parameter === "") cells.length = column;
      else if (command === "m" && parameter in SGR) style[SGR[parameter]![0]] = SGR[parameter]![1];
      else if (/^\P{Cc}$/u.test(code))
        cells[column++] = { character: code, style: `${style.weight} ${style.colour}`.trim() };
      else if (!/^\?7[lh]$/.test(parameter + command))
        throw new Error(`The control code ${JSON.stringify(code)} is not known.`);
    }
    if (cells.length > 0) show();
  }
  return line.length > 0 ? [...lines, line] : lines;
}
