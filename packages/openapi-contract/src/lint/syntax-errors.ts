import { type Document, type ErrorCode, LineCounter, parseDocument, visit } from "yaml";

/** The first syntax error of a string in YAML or JSON. */
export interface SyntaxProblem {
  line: number;
  column: number;
  /** The fault, and the remedy. */
  message: string;
  /** The lines around the place, with a mark below the column. */
  frame: string[];
}

/** An error of `yaml`, and where it is. */
interface Reported {
  message: string;
  lines: string[];
  /** The number of the line, from 1, and its text from the place on. */
  at: number;
  rest: string;
}

/** A line that YAML takes for the beginning of a longer text, by the mistake in it. */
const MISTAKES: [RegExp, string][] = [
  [/^(?:<<<<<<<|=======|>>>>>>>)/, "This is a conflict marker of git. Resolve the conflict."],
  [/^\s*(?:- +)?["'\w$./{}-]+:[^\s:]/, 'A space is missing after ":".'],
  [/^\s*-[^\s-]/, 'A space is missing after "-".'],
  [/^(?!.*:(?:\s|$))/, 'This line has no ":". Write "name: value", or indent it as a part of the text above.'],
];

const mistake = ({ lines, at }: Reported): string =>
  MISTAKES.find(([pattern]) => pattern.test(lines[at - 1]!))?.[1] ?? indentation(lines, at);

const reserved = ({ rest }: Reported): string => `A value cannot begin with "${rest[0]}". Write it in quotation marks.`;

/** The message on each kind of error. The other kinds keep the words of `yaml`. */
const MESSAGES: { [Code in ErrorCode]?: (error: Reported) => string } = {
  BAD_ALIAS: reserved,
  BAD_DQ_ESCAPE: ({ message }) =>
    `"${/\S+$/.exec(message)![0]}" means nothing within double quotation marks. Use single ones.`,
  BAD_INDENT: ({ message, lines, at }) => {
    const [, closing] = /with a (\S)$/.exec(message) ?? [];
    return closing === undefined ? indentation(lines, at) : `A bracket above is not closed. Add "${closing}".`;
  },
  BAD_SCALAR_START: reserved,
  BLOCK_AS_IMPLICIT_KEY: ({ rest, lines, at }) =>
    /:(?:\s|$)/.test(rest) && !rest.startsWith(" ")
      ? 'A text with ": " in it needs quotation marks.'
      : indentation(lines, at),
  BLOCK_IN_FLOW: () => "A comma or a closing bracket is missing.",
  DUPLICATE_KEY: ({ rest }) => `The field ${rest.split(":")[0]} is given twice in one object. Remove one of them.`,
  MISSING_CHAR: (error) => {
    const [, quote] = /^Missing closing (["'])/.exec(error.message) ?? [];
    return quote === undefined ? mistake(error) : `The text that begins here has no closing ${quote}. Add it.`;
  },
  MULTILINE_IMPLICIT_KEY: mistake,
  MULTIPLE_DOCS: () => 'A second document begins here. Keep only one, without "---" between.',
  TAB_AS_INDENT: () => "This line is indented with a tab. Use spaces.",
  UNEXPECTED_TOKEN: ({ message, rest, lines, at }) => {
    if (rest === lines[at - 1]!.trimStart() && /:(?:\s|$)/.test(rest)) return indentation(lines, at);
    return message.includes("scalar")
      ? "Text follows a value that has ended. Write all of it in one pair of quotation marks."
      : `"${rest[0] ?? ""}" is not expected here. Remove it, or write the value in quotation marks.`;
  },
};

/** Errors that only Redocly's parser finds, with what to do. */
const OTHERS: [RegExp, (name: string) => string][] = [
  [
    /unidentified alias "(.*?)"/,
    (name) => `There is no anchor "&${name}" above. Write text that begins with "*" in quotation marks.`,
  ],
  [
    /unknown scalar tag !<(.*?)>/,
    (name) => `The tag "${name}" is not known. Write text that begins with "!" in quotation marks.`,
  ],
  [/non-printable characters/, () => "There is a control character here. Remove it."],
];

/** Returns the first syntax error of a string; `otherwise` is the message of a parser that has found one. */
export function syntaxProblem(text: string, otherwise: string): SyntaxProblem {
  const lineCounter = new LineCounter();
  const document = parseDocument(text, { lineCounter, prettyErrors: false });
  const [error] = document.errors;
  const lines = text.split(/\r?\n/);
  if (error === undefined) return foundByRedocly(lines, otherwise);
  const { code, message, pos } = error;
  const isQuote = message.startsWith("Missing closing");
  const { line, col } = lineCounter.linePos(isQuote ? lastQuoteBefore(pos[0], document) : pos[0]);
  const rest = lines[line - 1]!.slice(col - 1);
  const at = code === "BLOCK_AS_IMPLICIT_KEY" && !/:(?:\s|$)/.test(rest) ? deeperLineAfter(lines, line) : line;
  const column = at === line && rest.trimStart() === rest ? col : indentOf(lines[at - 1]!) + 1;
  const said = MESSAGES[code]?.({ message, lines, at, rest }) ?? message;
  return { line: at, column, message: said, frame: frameOf(lines, at, column) };
}

/** The message on a line that is indented unlike any line that it can belong to, with the indentations above that it can have. */
function indentation(lines: string[], at: number): string {
  const own = indentOf(lines[at - 1]!);
  const open: number[] = []; // of the objects and lists around the line, the innermost last
  for (const line of lines.slice(0, at - 1).toReversed())
    if (/^ *[^\s#]/.test(line))
      for (const indent of [/^ *(?:- +)*/.exec(line)![0].length, indentOf(line)])
        if (indent < (open[0] ?? Infinity)) open.unshift(indent);
  const near = [open.findLast((indent) => indent < own), open.find((indent) => indent > own)];
  const choices = near.filter((indent) => indent !== undefined).join(" or ");
  if (choices === "") return "A list and the fields of an object are mixed here. Indent one of them further.";
  return `This line cannot be indented by ${own} ${own === 1 ? "space" : "spaces"}. Indent it by ${choices}, like the lines above.`;
}

/** The line after one with a value that YAML takes for its part, because it is indented further. */
function deeperLineAfter(lines: string[], line: number): number {
  const next = lines.findIndex((text, index) => index >= line && /^\s*[^\s#]/.test(text));
  return next !== -1 && indentOf(lines[next]!) > indentOf(lines[line - 1]!) ? next + 1 : line;
}

function indentOf(line: string): number {
  return /^ */.exec(line)![0].length;
}

function foundByRedocly(lines: string[], message: string): SyntaxProblem {
  const [line = 1, column = 1] = /\((\d+):(\d+)\)/.exec(message)?.slice(1).map(Number) ?? [];
  const found = OTHERS.flatMap(([pattern, text]) => {
    const match = pattern.exec(message);
    return match === null ? [] : text(match[1] ?? "");
  });
  return { line, column, message: found[0] ?? message, frame: frameOf(lines, line, column) };
}

/** The line above, the line itself and the line below, with the column marked. */
function frameOf(lines: string[], line: number, column: number): string[] {
  const width = String(line + 1).length;
  const numbered = (number: number): string[] => {
    const text = lines[number - 1]
      ?.slice(0, 100)
      .replaceAll("\t", "→")
      .replaceAll(/\p{Cc}/gu, "�");
    return text === undefined || (text === "" && number > line) ? [] : [`${String(number).padStart(width)} | ${text}`];
  };
  const mark = column > 100 ? [] : [`${"".padStart(width)} | ${"".padStart(column - 1)}^`];
  return [...numbered(line - 1), ...numbered(line), ...mark, ...numbered(line + 1)];
}

function lastQuoteBefore(end: number, document: Document.Parsed): number {
  let start = end;
  visit(document, {
    Scalar(_, { type, range }) {
      if (type?.startsWith("QUOTE") && range && range[0] < end) start = range[0];
    },
  });
  return start;
}
