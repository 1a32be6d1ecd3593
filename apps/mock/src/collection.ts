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
  /** By position. Positions are not reused, so that a cursor stays valid when members are removed. */
  readonly #members = new Map<number, Member>();
  #next = 1;

  constructor(idField: string, idSchema: Schema, members: Member[]) {
    this.#idField = idField;
    this.#idSchema = idSchema;
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

  /** Returns a new id: a number greater than all before, or a UUID. */
  #newId(): unknown {
    if (this.#idSchema.format === "uuid") return randomUUID();
    const ids = [...this.#members.values()].map((member) => Number(member[this.#idField])).filter(Number.isFinite);
    const id = Math.max(this.#next - 1, ...ids) + 1;
    return [this.#idSchema.type].flat().includes("string") ? String(id) : id;
  }
}

function cursorAfter(position: number): string {
  return Buffer.from(String(position)).toString("base64url");
}
