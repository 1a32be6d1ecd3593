import { randomUUID } from "node:crypto";
import type { Schema } from "express-operations/reading";

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
  /** By position. Positions are not reused, so that a cursor stays valid when members are removed. */
  readonly #members = new Map<number, Member>();
  #next = 1;

  /** New ids are made from `idExample` where the schema allows no number. */
  constructor(idField: string, idSchema: Schema, members: Member[], idExample?: unknown) {
    this.#idField = idField;
    this.#idSchema = idSchema;
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

  /** Returns a new id: a UUID, a number greater than all before, or a text that the schema allows. */
  #newId(): unknown {
    const { type, format, minimum } = this.#idSchema;
    if (format === "uuid") return randomUUID();
    const ids = [...this.#members.values()].map((member) => Number(member[this.#idField])).filter(Number.isFinite);
    const id = Math.max(this.#next - 1, Number(minimum ?? 0) - 1, ...ids) + 1;
    return [type].flat().includes("string") ? this.#newText(id) : id;
  }

  /** Returns the number as a text, or else the example with the number in place of some of its characters. */
  #newText(id: number): string {
    const { minLength, maxLength } = this.#idSchema as { minLength?: number; maxLength?: number };
    const digits = String(id)
      .padStart(minLength ?? 0, "0")
      .slice(-(maxLength ?? Infinity));
    const example = typeof this.#idExample === "string" ? this.#idExample : "";
    for (const number of [digits, String(id)]) {
      if (this.#isFree(number)) return number;
      for (let at = example.length - number.length; at >= 0; at--) {
        const text = example.slice(0, at) + number + example.slice(at + number.length);
        if (this.#isFree(text)) return text;
      }
    }
    return example === "" ? digits : example;
  }

  #isFree(id: string): boolean {
    const { pattern, enum: values } = this.#idSchema as { pattern?: string; enum?: unknown[] };
    const isAllowed = (pattern === undefined || new RegExp(pattern, "u").test(id)) && (values?.includes(id) ?? true);
    return isAllowed && this.#entry(id) === undefined;
  }
}

function cursorAfter(position: number): string {
  return Buffer.from(String(position)).toString("base64url");
}
