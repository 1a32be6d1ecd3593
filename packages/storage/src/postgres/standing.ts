/** Returns the SQL of a position in the log as text of one length, so that positions compare as strings. */
export function positionAt(lsn: string): string {
  return `lpad(to_hex((${lsn} - '0/0')::bigint), 16, '0') as position`;
}

/** The SQL of a position that no committed transaction goes beyond. */
export const COMMITTED = positionAt("pg_current_wal_insert_lsn()");

/** The SQL of the start of a server, which tells servers behind one address apart. */
export const SERVER = "extract(epoch from pg_postmaster_start_time())::text as server";
