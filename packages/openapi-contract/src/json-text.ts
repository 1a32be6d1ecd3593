import { LineCounter } from "yaml";

/**
 * Returns the value of a JSON text. Returns undefined for any other text, and for a text with a key that is given twice in one
 * object, which JSON.parse ignores.
 */
export function parsedJson(text: string): unknown {
  const json = text.replace(/^\uFEFF/, "");
  if (!/^\s*\{/.test(json)) return undefined;
  try {
    const value: unknown = JSON.parse(json);
    return keysIn(value) === colonsIn(json) ? value : undefined;
  } catch {
    return undefined;
  }
}

function keysIn(node: unknown): number {
  if (typeof node !== "object" || node === null) return 0;
  const values: unknown[] = Object.values(node);
  return values.reduce((sum: number, value) => sum + keysIn(value), Array.isArray(node) ? 0 : values.length);
}

/** Counts the colons outside strings. Each key has one. */
function colonsIn(json: string): number {
  let count = 0;
  for (let at = 0; at < json.length; at++) {
    if (json[at] === '"') at = endOfString(json, at);
    else if (json[at] === ":") count++;
  }
  return count;
}

/** The offsets of a value in a text, and of its key in an object. */
export interface JsonPlace {
  value: number;
  key?: number;
}

/** Returns a function that finds the value at a path of keys in a JSON text. It reads the text before that value once. */
export function jsonPlaces(json: string): (keys: string[]) => JsonPlace | undefined {
  const known = new Map<number, { found: Map<string, JsonPlace>; rest: Iterator<[string, JsonPlace]> }>();
  const memberAt = (start: number, key: string): JsonPlace | undefined => {
    const { found, rest } = known.get(start) ?? { found: new Map<string, JsonPlace>(), rest: membersOf(json, start) };
    known.set(start, { found, rest });
    while (!found.has(key)) {
      const next = rest.next();
      if (next.done) return undefined;
      found.set(...next.value);
    }
    return found.get(key);
  };
  const root: JsonPlace = { value: json.search(/[^\s\uFEFF]/) };
  return (keys) => keys.reduce<JsonPlace | undefined>((place, key) => place && memberAt(place.value, key), root);
}

/** Yields the members of the object or the array at an offset, with their places. */
function* membersOf(json: string, start: number): Generator<[string, JsonPlace], void> {
  if (json[start] !== "{" && json[start] !== "[") return;
  let index = 0;
  for (let at = afterSpace(json, start + 1); !isClosing(json[at]); index++) {
    if (json[start] === "[") yield [String(index), { value: at }];
    else {
      const key = at;
      const end = endOfString(json, key) + 1;
      at = afterSpace(json, json.indexOf(":", end) + 1);
      yield [JSON.parse(json.slice(key, end)) as string, { value: at, key }];
    }
    at = afterSpace(json, endOfValue(json, at));
    if (json[at] === ",") at = afterSpace(json, at + 1);
  }
}

/** Returns the offset after the value at an offset. */
function endOfValue(json: string, start: number): number {
  let depth = 0;
  for (let at = start; at < json.length; at++) {
    const character = json[at]!;
    if (depth === 0 && (character === "," || isClosing(character))) return at;
    if (character === '"') at = endOfString(json, at);
    else if (character === "{" || character === "[") depth++;
    else if (isClosing(character)) depth--;
  }
  return json.length;
}

function isClosing(character: string | undefined): boolean {
  return character === "}" || character === "]" || character === undefined;
}

function afterSpace(json: string, start: number): number {
  let at = start;
  while (" \t\r\n".includes(json[at] ?? ".")) at++;
  return at;
}

/** Returns the offset of the quotation mark that closes the string at an offset. */
function endOfString(json: string, start: number): number {
  let end = json.indexOf('"', start + 1);
  for (let before = end; json[before - 1] === "\\"; before = end) {
    while (json[before - 1] === "\\") before--;
    if ((end - before) % 2 === 0) return end;
    end = json.indexOf('"', end + 1);
  }
  return end;
}

/** Returns a function that finds the line and the column, from 1, of a value in a JSON text, or of its key where it has one. */
export function jsonPositions(
  json: string,
): (keys: string[], ofKey: boolean) => { line: number; col: number } | undefined {
  const placeOf = jsonPlaces(json);
  let lines: LineCounter | undefined;
  return (keys, ofKey) => {
    const place = placeOf(keys);
    if (place === undefined) return undefined;
    lines ??= lineCounterOf(json);
    return lines.linePos((ofKey ? place.key : undefined) ?? place.value);
  };
}

function lineCounterOf(text: string): LineCounter {
  const lineCounter = new LineCounter();
  let start = 0;
  do {
    lineCounter.addNewLine(start);
    start = text.indexOf("\n", start) + 1;
  } while (start > 0);
  return lineCounter;
}
