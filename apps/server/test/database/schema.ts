import { isPostgres } from "@openapi-operations/storage/database";
import { type Kysely, type RawBuilder, sql } from "kysely";
import type { Tables } from "../../src/registrations.ts";

/** Everything that defines these tables, a line or statement for each part, in an order that two databases share. */
export async function schemaOf(db: Kysely<Tables>, tables: string[]): Promise<string[]> {
  const names = sql.join(tables);
  const { rows } = await (isPostgres(db) ? inCatalogue(names) : inMaster(names)).execute(db);
  return rows.map(({ definition }) => definition);
}

/** The statements as SQLite keeps them: https://sqlite.org/schematab.html */
const inMaster = (names: RawBuilder<unknown>) => sql<{ definition: string }>`
  select sql as definition from sqlite_master where tbl_name in (${names}) and sql is not null order by rowid`;

/** PostgreSQL keeps no statements: https://www.postgresql.org/docs/18/catalogs.html */
const inCatalogue = (names: RawBuilder<unknown>) => sql<{ definition: string }>`
  with tables as (
    select oid, relname as name, relpersistence from pg_class
    where relnamespace = current_schema::regnamespace and relkind = 'r' and relname in (${names})
  ), parts as (
    select name, 1 as part, 0 as place, format('table %s, persistence %s', name, relpersistence) as definition
    from tables
    union all
    select name, 2, attnum, format('column %s.%s: %s, not null %s, identity "%s", default %s', name, attname,
      format_type(atttypid, atttypmod), attnotnull, attidentity, coalesce(pg_get_expr(adbin, adrelid), 'none'))
    from tables join pg_attribute on attrelid = tables.oid and attnum > 0 and not attisdropped
    left join pg_attrdef on adrelid = attrelid and adnum = attnum
    union all
    select name, 3, 0, format('constraint %s.%s: %s', name, conname, pg_get_constraintdef(pg_constraint.oid))
    from tables join pg_constraint on conrelid = tables.oid
    union all
    select name, 4, 0, pg_get_indexdef(indexrelid)
    from tables join pg_index on indrelid = tables.oid
    union all
    select name, 5, refobjsubid, format('sequence %s of %s.%s: %s from %s by %s, %s to %s, cycle %s, cache %s, persistence %s',
      sequences.relname, name, refobjsubid, format_type(seqtypid, null), seqstart, seqincrement, seqmin, seqmax, seqcycle,
      seqcache, sequences.relpersistence)
    from tables join pg_depend on refclassid = 'pg_class'::regclass and refobjid = tables.oid
    join pg_sequence on classid = 'pg_class'::regclass and objid = seqrelid
    join pg_class as sequences on sequences.oid = seqrelid
  )
  select definition from parts order by name, part, place, definition`;
