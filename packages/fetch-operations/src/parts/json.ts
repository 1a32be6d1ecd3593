/** The error of a JSON text that is no JSON, or has a number that JavaScript would change. */
export class JsonError extends Error {
  /** Continues the sentence "The text …". */
  readonly problem: string;
  constructor(problem: string, cause?: unknown) {
    super(`The text ${problem}.`, { cause });
    this.problem = problem;
  }
}

/**
 * Parses JSON, as `JSON.parse` does. Throws a `JsonError` for text that is not JSON, for an integer that a number would round, and for an
 * object that has a name twice (RFC 8259, section 4). With openapi-fetch, take the text by `parseAs: "text"`.
 */
export function parseJson(text: string): unknown {
  return parseExact(text, rejectRounded);
}

/** Throws for an integer that a number would round. */
export function rejectRounded(integer: string): never {
  throw new JsonError(`has the integer ${integer.slice(0, 40)}, which a JavaScript number would round`);
}

/** Parses JSON as `parseJson` does, with the JSON that `replace` returns in place of each integer that a number would round. */
export function parseExact(text: string, replace: (integer: string) => string): unknown {
  const value = parseRounding(text);
  // Text that serializes to itself has each name once.
  if (JSON.stringify(value) === text && !/\d{16}/.test(text)) return value;
  const exact = exactText(text, replace);
  return exact === text ? value : JSON.parse(exact);
}

/** Parses JSON, and rounds integers as JavaScript does. Throws a `JsonError` for text that is not JSON. */
export function parseRounding(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new JsonError("is not JSON or is incomplete", cause);
  }
}

/** A number from its first character on. */
const NUMBER = /[-+.\deE]+/y;

/** Replaces integers in a text that `JSON.parse` accepts. No regular expression for strings: it would exhaust the stack for long ones. */
function exactText(text: string, replace: (integer: string) => string): string {
  const objects: Set<string>[] = []; // the names of the open ones
  let exact = "";
  let copied = 0;
  let string = "";
  for (let at = 0; at < text.length; at++) {
    const character = text[at]!;
    if (character === '"') {
      const end = endOfString(text, at);
      string = text.slice(at, end);
      at = end - 1;
    } else if (character === "{") objects.push(new Set());
    else if (character === "}") objects.pop();
    else if (character === ":") {
      const names = objects.at(-1)!;
      const name = JSON.parse(string) as string;
      if (names.has(name)) throw new JsonError(`has an object with the name ${string.slice(0, 40)} twice`);
      names.add(name);
    } else if (character === "-" || (character >= "0" && character <= "9")) {
      NUMBER.lastIndex = at;
      const [number] = NUMBER.exec(text)!;
      if (isRounded(number)) {
        exact += text.slice(copied, at) + replace(number);
        copied = at + number.length;
      }
      at += number.length - 1;
    }
  }
  return exact + text.slice(copied);
}

/** Returns the index after the string that begins at a quotation mark. */
function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); ; end = text.indexOf('"', end + 1)) {
    let backslashes = 0;
    while (text[end - 1 - backslashes] === "\\") backslashes++;
    if (backslashes % 2 === 0) return end + 1;
  }
}

/** Whether a number in JSON is an integer that a number of JavaScript cannot hold exactly, such as `1e400`. */
function isRounded(number: string): boolean {
  const value = Number(number);
  if (!Number.isFinite(value)) return true;
  const [integer] = /^-?\d{16,}(?=(?:\.0+)?(?:[eE][+-]?0+)?$)/.exec(number) ?? [];
  return integer !== undefined && BigInt(integer) !== BigInt(value);
}
