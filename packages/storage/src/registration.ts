import type { Migration } from "kysely/migration";
import type { Migrations } from "./migrations.ts";

/** What is to be known of a table, beside the columns of its rows. */
export interface Table<Row> {
  /** The columns of its primary key; `["id"]` where the database numbers the rows. */
  key: readonly (keyof Row & string)[];
  /** What a row is called, one and many, where a restore says how many are lost: those with a later id, or `created_at`. */
  noun?: readonly [one: string, many: string];
  /** What adds the rows, where they say which API key did, and when. */
  addedBy?: Row extends AttributedRow ? AddedBy : never;
}

/** Whether the database numbers the rows of a table. */
export function isNumbered({ key }: Pick<Table<any>, "key">): boolean {
  return key[0] === "id";
}

/** A row with the id of the API key that added it, and the time in milliseconds since 1970; null where nobody knows. */
interface AttributedRow {
  id: unknown;
  created_by: number | null;
  created_at: number | null;
}

/** An operation and what it adds, in the words of the contract: `createPet` adds a `pet`, whose id it calls `petId`. */
export interface AddedBy {
  operationId: string;
  resource: string;
}

/** Tables whose rows are of any kind, by their names. */
export type AnyTables = Readonly<Record<string, Table<any>>>;

/** What a database of this version holds: every table after those that it references. */
export interface Schema {
  migrations: Migrations;
  tables: AnyTables;
}

/** What a part of the service brings: its tables. Whatever has to name every table reads it. */
export interface Registration<Tables> {
  tables: { readonly [Name in keyof Tables]: Table<Tables[Name]> };
  /** What makes and changes them, by names that sort after those of every migration before. */
  migrations?: Migrations;
}

/** The rows of all the tables that a union of registrations brings, by the names of the tables. */
export type TablesOf<AnyRegistration> = (
  AnyRegistration extends Registration<infer Tables> ? (tables: Tables) => void : never
) extends (tables: infer All) => void
  ? All
  : never;

/** The tables of all registrations, in their order. */
export function tablesOf(registrations: readonly Registration<any>[]): AnyTables {
  return Object.assign({}, ...registrations.map(({ tables }) => tables)) as AnyTables;
}

/** Migrations together with those of all registrations, in the order of their names; throws where a name is given twice. */
export function migrationsOf(before: Migrations, registrations: readonly Registration<any>[]): Migrations {
  const all = [before, ...registrations.map(({ migrations = {} }) => migrations)].flatMap(Object.entries<Migration>);
  const names = all.map(([name]) => name);
  const duplicate = names.find((name, at) => names.indexOf(name) !== at);
  if (duplicate !== undefined)
    throw new Error(`Two migrations are named ${duplicate}. Give the later one another name.`);
  return Object.fromEntries(all.toSorted(([one], [other]) => (one < other ? -1 : 1)));
}
