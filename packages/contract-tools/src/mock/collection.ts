import { randomUUID } from "node:crypto";
import {
  boundsOf,
  effectiveSchema,
  type OpenApiDocument,
  type OperationEntry,
  propertiesOf,
  resolve,
  type ResponseObject,
  type Schema,
} from "openapi-document";
import { successStatus } from "./examples.ts";

/** A collection, recognized by paths: GET on `/pets` lists the members, and `/pets/{petId}` is one member. */
export interface Resource {
  /** The operation that lists the members. */
  list: OperationEntry;
  /** The schema of one member. */
  member: Schema;
  /** The field that identifies a member. */
  idField: string;
  /** The field of the list's response that holds the members; undefined if the response is the members. */
  envelope: string | undefined;
}

/** An operation's effect on its collection. */
export type Role = "list" | "create" | "fetch" | "replace" | "change" | "remove";

const MEMBER_PATH = /^(.*)\/\{([^/{}]+)\}$/;

const ROLES: Record<string, Role> = {
  "get collection": "list",
  "post collection": "create",
  "get member": "fetch",
  "put member": "replace",
  "patch member": "change",
  "delete member": "remove",
};

/** Returns the collection of an operation and its role; undefined if its path belongs to no collection. */
export function resourceOf(
  document: OpenApiDocument,
  entries: OperationEntry[],
  entry: OperationEntry,
): { resource: Resource; role: Role } | undefined {
  const [, above] = MEMBER_PATH.exec(entry.path) ?? [];
  const collection = above ?? entry.path;
  const role = ROLES[`${entry.method} ${above === undefined ? "collection" : "member"}`];
  const list = entries.find(({ method, path }) => method === "get" && path === collection);
  const found = list && membersOf(document, list);
  if (role === undefined || list === undefined || found === undefined) return undefined;
  const { member, envelope } = found;
  const parameters = entries.flatMap(({ path }) => {
    const [, of, parameter] = MEMBER_PATH.exec(path) ?? [];
    return of === collection ? parameter! : [];
  });
  const idField = [...parameters, "id"].find((name) => Object.hasOwn(propertiesOf(member), name));
  return idField === undefined ? undefined : { resource: { list, member, idField, envelope }, role };
}

/**
 * Returns the schema of one member if the operation responds with a list of objects, or with an object that has one such list,
 * such as `{ items, total }`.
 */
function membersOf(
  document: OpenApiDocument,
  list: OperationEntry,
): { member: Schema; envelope: string | undefined } | undefined {
  const response = list.operation.responses?.[successStatus(list)];
  const content = response && resolve<ResponseObject>(document, response).content?.["application/json"];
  const schema = effectiveSchema(document, content?.schema);
  if (schema.type === "array") return { member: effectiveSchema(document, schema.items), envelope: undefined };
  const lists = Object.entries(propertiesOf(schema)).flatMap(([name, field]) => {
    const { type, items } = effectiveSchema(document, field);
    const member = effectiveSchema(document, items);
    return type === "array" && Object.keys(propertiesOf(member)).length > 0 ? [{ member, envelope: name }] : [];
  });
  return lists.length === 1 ? lists[0] : undefined;
}

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
  readonly #draw: () => unknown;
  /** By position. Positions are not reused, so that a cursor stays valid when members are removed. */
  readonly #members = new Map<number, Member>();
  #next = 1;

  /** New ids are numbers, also as texts. Where the schema lists values, or has a format or pattern of texts, `draw` returns them. */
  constructor(idField: string, idSchema: Schema, members: Member[], draw: () => unknown = () => undefined) {
    this.#idField = idField;
    this.#idSchema = idSchema;
    this.#draw = draw;
    for (const member of members) this.#append(member);
  }

  async add(member: Member): Promise<Member> {
    const id = await this.#newId();
    return this.#append({ ...member, [this.#idField]: id });
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

  /** Returns a new id that the schema allows: a UUID, a drawn value, the next number, or its text. */
  async #newId(): Promise<unknown> {
    const { type, format, enum: values, pattern, minLength = 0, maxLength = Infinity } = this.#idSchema as TextSchema;
    if (format === "uuid") return randomUUID();
    const isNumber = [type].flat().some((each) => each === "integer" || each === "number");
    if (values !== undefined || (!isNumber && (format ?? pattern) !== undefined)) return this.#drawn();
    if (![type].flat().includes("string")) return this.#nextNumber(this.#idSchema);
    return String(this.#nextNumber({})).padStart(minLength, "0").slice(-maxLength);
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

  /** Draws values of the schema until one is free; the last one if none is. */
  async #drawn(): Promise<unknown> {
    let drawn: unknown;
    for (let draw = 0; draw < MAX_DRAWS; draw++) {
      drawn = await this.#draw();
      if (this.#entry(drawn) === undefined) break;
    }
    return drawn;
  }
}

interface TextSchema extends Schema {
  minLength?: number;
  maxLength?: number;
}

/** How often a value is drawn that another member has. */
const MAX_DRAWS = 1_000;

function cursorAfter(position: number): string {
  return Buffer.from(String(position)).toString("base64url");
}
