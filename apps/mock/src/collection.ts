import { randomUUID } from "node:crypto";
import { hasKnownFormat } from "express-operations/example-value";
import { boundsOf, compilePattern, type Schema } from "openapi-document";

/** A member of a collection. */
export type Member = Record<string, unknown>;

/** One page of a collection, and the cursor of the next one. */
export interface Page {
  members: Member[];
  cursor: string | undefined;
}

/** The members of one collection, in the order of their creation. */
export class Collection {
  readonly #idField: string;
  readonly #idSchema: Schema;
  readonly #idExample: unknown;
  readonly #draw: () => unknown;
  /** By position. Positions are not reused, so that a cursor stays valid when members are removed. */
  readonly #members = new Map<number, Member>();
  #next = 1;

  /**
   * New ids are made from `idExample` where the schema allows no number. They are values that `draw` returns where the schema
   * lists them, or has a format.
   */
  constructor(idField: string, idSchema: Schema, members: Member[], idExample?: unknown, draw = () => idExample) {
    this.#idField = idField;
    this.#idSchema = idSchema;
    this.#draw = draw;
    this.#idExample = idExample;
    for (const member of members) this.#append(member);
  }

  add(member: Member): Member {
    return this.#append({ ...member, [this.#idField]: this.#newId() });
  }

  /** Finds a member by id. Ids are compared as strings, because path parameters may have been parsed as numbers. */
  find(id: unknown): Member | undefined {
    return this.#entry(id)?.[1];
  }

  put(id: unknown, member: Member): Member | undefined {
    const entry = this.#entry(id);
    if (entry === undefined) return undefined;
    const stored = { ...member, [this.#idField]: entry[1][this.#idField] };
    this.#members.set(entry[0], stored);
    return stored;
  }

  remove(id: unknown): Member | undefined {
    const entry = this.#entry(id);
    if (entry !== undefined) this.#members.delete(entry[0]);
    return entry?.[1];
  }

  /** Returns a page of the members whose fields have these values; undefined for a cursor that this mock did not return. */
  page(filter: Member, limit = Infinity, cursor?: string): Page | undefined {
    const after = cursor === undefined ? 0 : Number(Buffer.from(cursor, "base64url").toString("latin1"));
    if (!Number.isSafeInteger(after) || (cursor !== undefined && cursorAfter(after) !== cursor)) return undefined;
    const found = [...this.#members].filter(
      ([position, member]) =>
        position > after && Object.entries(filter).every(([name, value]) => member[name] === value),
    );
    const page = found.slice(0, limit);
    return {
      members: page.map(([, member]) => member),
      cursor: found.length > page.length ? cursorAfter(page.at(-1)![0]) : undefined,
    };
  }

  #append(member: Member): Member {
    this.#members.set(this.#next++, member);
    return member;
  }

  #entry(id: unknown): [number, Member] | undefined {
    return [...this.#members].find(([, member]) => String(member[this.#idField]) === String(id));
  }

  /** Returns a new id that the schema allows: a UUID, the next number, its text, or a drawn value. */
  #newId(): unknown {
    const { type, format, enum: values } = this.#idSchema;
    if (format === "uuid") return randomUUID();
    const isDrawn = values !== undefined || hasKnownFormat(this.#idSchema);
    const drawn = isDrawn ? this.#drawn() : undefined;
    if (drawn !== undefined) return drawn;
    if (values !== undefined) return this.#idExample;
    const isText = [type].flat().includes("string");
    return isText ? this.#newText(this.#nextNumber({})) : this.#nextNumber(this.#idSchema);
  }

  /** Returns a number greater than all before; where the maximum is reached, the least free one. */
  #nextNumber(schema: Schema): number {
    const { minimum = -Infinity, maximum = Infinity, above = -Infinity, below = Infinity } = boundsOf(schema);
    const step = Number(schema["multipleOf"] ?? 1);
    const atLeast = (number: number) => Math.ceil(number / step) * step;
    const lowest = Math.max(atLeast(minimum), (Math.floor(above / step) + 1) * step);
    const least = Number.isFinite(lowest) ? lowest : Math.min(1, maximum, below - 1);
    const ids = [...this.#members.values()].map((member) => Number(member[this.#idField])).filter(Number.isFinite);
    const next = Math.max(least, atLeast(Math.max(this.#next - 1, ...ids) + 1));
    if (next <= maximum && next < below) return next;
    let free = least;
    while (this.#entry(free) !== undefined && free + step <= maximum && free + step < below) free += step;
    return free;
  }

  /** Draws values of the schema until one is free; undefined if none is. */
  #drawn(): unknown {
    for (let draw = 0; draw < MAX_DRAWS; draw++) {
      const drawn = this.#draw();
      if (this.#entry(drawn) === undefined) return drawn;
    }
    return undefined;
  }

  /**
   * Returns the number as a text, or the example with the number in place of some of its characters. A text with a format is
   * never a number alone.
   */
  #newText(id: number): string {
    const { format, minLength = 0, maxLength = Infinity } = this.#idSchema as TextSchema;
    const digits = String(id).padStart(minLength, "0").slice(-maxLength);
    const example = typeof this.#idExample === "string" ? this.#idExample : "";
    const letters = lettersOf(id);
    for (const number of [digits, String(id), letters, letters.toUpperCase()]) {
      if (format === undefined && this.#isFree(number)) return number;
      for (let at = example.length - number.length; at >= 0; at--) {
        const text = example.slice(0, at) + number + example.slice(at + number.length);
        if (this.#isFree(text)) return text;
      }
    }
    return example === "" ? digits : example;
  }

  #isFree(id: string): boolean {
    const { pattern, minLength = 0, maxLength = Infinity } = this.#idSchema as TextSchema;
    const isAllowed = id.length >= minLength && id.length <= maxLength;
    return isAllowed && (pattern === undefined || compilePattern(pattern).test(id)) && this.#entry(id) === undefined;
  }
}

interface TextSchema {
  format?: string;
  pattern?: string;
  minLength?: number;
  maxLength?: number;
}

/** How often a value is drawn that another member has. */
const MAX_DRAWS = 1_000;

/** Returns a number with letters as digits: `b` for 1, `ba` for 26. */
function lettersOf(number: number): string {
  const digits = Array.from(number.toString(26), (digit) => Number.parseInt(digit, 26));
  return String.fromCodePoint(...digits.map((digit) => digit + 97));
}

function cursorAfter(position: number): string {
  return Buffer.from(String(position)).toString("base64url");
}
