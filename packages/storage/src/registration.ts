import { EVERY_VERSION, type Migration, type Migrations } from "./migrations.ts";

/** The metadata of a table. */
export interface Table<Row> {
  /** The columns of the primary key; `["id"]` if the database assigns it. */
  key: readonly (keyof Row & string)[];
  /**
   * The name of a row, singular and plural, for the report of a restore. The report counts rows of tables with a noun.
   * Rows with a later id or `created_at` than the backup are lost.
   */
  noun?: readonly [one: string, many: string];
  /** The operation that adds the rows. Allowed for tables whose rows record their API key and time. */
  addedBy?: Row extends AttributedRow ? AddedBy : never;
}

/** Whether the database assigns the ids of a table. */
export function isNumbered({ key }: Pick<Table<any>, "key">): boolean {
  return key[0] === "id";
}

/** A row with the id of the API key that added it and the time in milliseconds since 1970; null if unknown. */
interface AttributedRow {
  id: unknown;
  created_by: number | null;
  created_at: number | null;
}

/** An operation and the resource that it adds. In the contract, `createPet` adds a `pet`, whose id is `petId`. */
export interface AddedBy {
  operationId: string;
  resource: string;
}

/** Tables with rows of any type, by name. */
export type AnyTables = Readonly<Record<string, Table<any>>>;

/** The schema of this version. A table comes after the tables that it references. */
export interface Schema {
  migrations: Migrations;
  tables: AnyTables;
}

/** The tables and migrations of one part of the service. Code that needs all tables reads the registrations. */
export interface Registration<Tables> {
  tables: { readonly [Name in keyof Tables]: Table<Tables[Name]> };
  /** The migrations that create and change the tables. Their names sort after those of all earlier migrations. */
  migrations?: Migrations;
}

/** The row types of all tables in a union of registrations, by table name. */
export type TablesOf<AnyRegistration> = (
  AnyRegistration extends Registration<infer Tables> ? (tables: Tables) => void : never
) extends (tables: infer All) => void
  ? All
  : never;

/** Returns the tables of all registrations, in the order of the registrations. */
export function tablesOf(registrations: readonly Registration<any>[]): AnyTables {
  return Object.assign({}, ...registrations.map(({ tables }) => tables)) as AnyTables;
}

/**
 * Merges migrations with those of all registrations, sorted by name. Throws if two have the same name, or if one can be served
 * only since a migration that is no earlier one.
 */
export function migrationsOf(before: Migrations, registrations: readonly Registration<any>[]): Migrations {
  const all = [before, ...registrations.map(({ migrations = {} }) => migrations)].flatMap(Object.entries<Migration>);
  const names = all.map(([name]) => name);
  const duplicate = names.find((name, at) => names.indexOf(name) !== at);
  if (duplicate !== undefined)
    throw new Error(`Two migrations are named ${duplicate}. Give the later one another name.`);
  for (const [name, { servedBy }] of all) {
    if (servedBy === EVERY_VERSION || (names.includes(servedBy.since) && servedBy.since < name)) continue;
    throw new Error(
      `The servedBy of migration ${name} is ${servedBy.since}, which is not an earlier migration. Name one.`,
    );
  }
  return Object.fromEntries(all.toSorted(([one], [other]) => (one < other ? -1 : 1)));
}

/** The registration of a resource: its handlers, and its tables if it has any. */
export interface Resource<AllHandlers, Tables = unknown> extends Registration<Tables> {
  handlers: AllHandlers;
}

/** The handlers of all resources in a union of registrations, by operationId. */
export type HandlersOf<AnyRegistration> = (
  AnyRegistration extends { handlers: infer Handlers } ? (handlers: Handlers) => void : never
) extends (handlers: infer All) => void
  ? All
  : never;

/** Returns the handlers of all registrations that are resources. */
export function handlersOf<AnyRegistration extends object>(
  registrations: readonly AnyRegistration[],
): HandlersOf<AnyRegistration> {
  const handlers = registrations.map((registration) => ("handlers" in registration ? registration.handlers : {}));
  return Object.assign({}, ...handlers) as HandlersOf<AnyRegistration>; // Object.assign returns any
}
