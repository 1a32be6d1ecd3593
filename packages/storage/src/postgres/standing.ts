/** Returns the SQL of a position in the log as text of one length, so that positions compare as strings. */
export function positionAt(lsn: string): string {
  return `lpad(to_hex((${lsn} - '0/0')::bigint), 16, '0')`;
}

/** The length of a timeline. */
export const TIMELINE_LENGTH = 8;

/** The SQL of the primary's timeline, which each failover to a server with its history increases, as text of one length. */
export const TIMELINE = `left(pg_walfile_name(pg_current_wal_flush_lsn()), ${TIMELINE_LENGTH})`;

/** The SQL of a token: the timeline, and a position in its log that no committed transaction goes beyond. */
export const COMMITTED = `${TIMELINE} || ${positionAt("pg_current_wal_insert_lsn()")}`;

/** The SQL of the start of a server, which tells servers behind one address apart. */
export const SERVER = "extract(epoch from pg_postmaster_start_time())::text as server";
