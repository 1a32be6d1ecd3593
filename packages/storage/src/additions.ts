import { type Kysely, sql } from "kysely";
import { isPostgres } from "./database.ts";

/** A part of the schema that earlier versions depend on, or that may restrict the rows they add. */
interface Part {
  /** Unique, such as `column pets.name`. */
  name: string;
  table: string;
  definition: string;
  /** Whether versions that do not know the part can add rows. */
  isOptional: boolean | number;
  /** The columns that a constraint restricts, as JSON; null for other parts. */
  columns: string | null;
}

/** The parts by name. */
type Parts = ReadonlyMap<string, Part>;

/**
 * Runs `up`, and throws if it did more than add to the database: if a table, a column or a constraint is missing or different,
 * or if a new part restricts the rows of an earlier table. Versions without the migration could then not serve the database.
 */
export async function expectAdditions(db: Kysely<any>, name: string, up: () => Promise<void>): Promise<void> {
  const before = await partsOf(db);
  await up();
  const fault = findFault(before, await partsOf(db));
  if (fault === undefined) return;
  throw new Error(
    `${name} ${fault}, so earlier versions cannot serve the database after it. ` +
      "Declare since which migration versions can: `servedBy: { since: … }`",
  );
}

function findFault(before: Parts, after: Parts): string | undefined {
  for (const part of before.values()) {
    const now = after.get(part.name);
    if (!after.has(`table ${part.table}`)) return `removes the table ${part.table}`;
    if (now === undefined) return `removes the ${part.name}`;
    if (!isExtended(part, now)) return `changes the ${part.name}`;
  }
  for (const { name, table, isOptional, columns } of after.values()) {
    if (isOptional || before.has(name) || !before.has(`table ${table}`)) continue;
    const restricted = JSON.parse(columns ?? "[]") as string[];
    const isOnNewColumns = restricted.every((column) => !before.has(`column ${table}.${column}`));
    if (restricted.length > 0 && isOnNewColumns) continue;
    return `restricts the rows of an earlier table by the ${name}`;
  }
  return undefined;
}

/** Whether the part is the same. The statement of a table in SQLite may have more columns at its end. */
function isExtended({ name, definition }: Part, now: Part): boolean {
  if (!name.startsWith("table ")) return now.definition === definition;
  return now.definition.startsWith(definition.replace(/\s*\)[^)]*$/, ""));
}

async function partsOf(db: Kysely<any>): Promise<Parts> {
  const { rows } = await (isPostgres(db) ? postgresParts : sqliteParts).execute(db);
  return new Map(rows.map((part) => [part.name, part]));
}

/** The schema table and its pragmas: https://sqlite.org/schematab.html, https://sqlite.org/pragma.html */
const sqliteParts = sql<Part>`
  with tables as (
    select name, sql from sqlite_master where type = 'table' and name not like 'sqlite_%' and name not like 'kysely_%'
  )
  select 'column ' || tables.name || '.' || part.name as name, tables.name as "table",
    format('%s, not null %d, default %s', part.type, part."notnull", ifnull(dflt_value, 'none')) as definition,
    part."notnull" = 0 or dflt_value is not null as "isOptional", null as columns
  from tables, pragma_table_xinfo(tables.name) as part
  union all
  select 'table ' || name, name, sql, 1, null from tables
  union all
  select 'unique index ' || part.name, tables.name, '', 0,
    (select json_group_array(name) from pragma_index_info(part.name))
  from tables, pragma_index_list(tables.name) as part where part."unique"
  union all
  select 'trigger ' || sqlite_master.name, tbl_name, sqlite_master.sql, 0, null
  from sqlite_master where type = 'trigger'`;

/** The system catalogs: https://www.postgresql.org/docs/18/catalogs.html */
const postgresParts = sql<Part>`
  with tables as (
    select oid, relname as name from pg_class
    where relnamespace = current_schema::regnamespace and relkind in ('r', 'p') and relname not like 'kysely\_%'
  ), columns as (
    select attrelid, attnum, attname as name from pg_attribute where attnum > 0 and not attisdropped
  )
  select 'table ' || name as name, name as "table", '' as definition, true as "isOptional", null as columns from tables
  union all
  select format('column %s.%s', name, attname), name,
    format('%s, not null %s, default %s', format_type(atttypid, atttypmod), attnotnull,
      coalesce(pg_get_expr(adbin, adrelid), 'none')),
    not attnotnull or atthasdef or attidentity <> '', null
  from tables join pg_attribute on attrelid = tables.oid and attnum > 0 and not attisdropped
  left join pg_attrdef on adrelid = attrelid and adnum = attnum
  union all
  select 'constraint ' || conname, tables.name, pg_get_constraintdef(pg_constraint.oid), false,
    (select json_agg(columns.name) from columns where attrelid = tables.oid and attnum = any (conkey))::text
  from tables join pg_constraint on conrelid = tables.oid and contype <> 'n'
  union all
  select 'unique index ' || indexes.relname, tables.name, pg_get_indexdef(indexrelid), false,
    (select json_agg(columns.name) from columns where attrelid = tables.oid and attnum = any (indkey))::text
  from tables join pg_index on indrelid = tables.oid and indisunique
  join pg_class as indexes on indexes.oid = indexrelid
  union all
  select 'trigger ' || tgname, tables.name, pg_get_triggerdef(pg_trigger.oid), false, null
  from tables join pg_trigger on tgrelid = tables.oid and not tgisinternal`;
