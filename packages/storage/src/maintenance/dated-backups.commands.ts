import { existsSync, statSync } from "node:fs";
import { basename } from "node:path";
import { setTimeout } from "node:timers/promises";
import {
  formatBytes,
  InvalidArgumentError,
  isoDate,
  parseDuration,
  printJson,
  printTable,
  type Report,
  withProgress,
} from "@openapi-operations/command-line";
import { SERVICE } from "@openapi-operations/command-line/name";
import type { Command } from "commander";
import { DatabaseError } from "../database-error.ts";
import type { Schema } from "../registration.ts";
import {
  backupsIn,
  type DatedBackup,
  lockBackups,
  makeBackup,
  newestBackup,
  nounsOf,
  type RowCounts,
  verifyBackup,
} from "./backup-folder.ts";

/** A database and the folder of its dated backups. */
export interface BackupLocation {
  database: string;
  folder: string;
  schema: Schema;
}

/** The options of `backup` without a file. */
export interface DatedOptions {
  /** The interval in milliseconds. Default: one backup. */
  every?: number;
  /** How many backups stay. Default: all. */
  keep?: number;
}

/** Parses an interval such as `1h` into milliseconds. */
export function parseInterval(text: string): number {
  const interval = parseDuration(text);
  if (interval <= LONGEST_INTERVAL_MS) return interval;
  throw new InvalidArgumentError("Give at most 24d.");
}

/** Makes one dated backup, or one at every interval until a signal. Prints a line for each. */
export async function makeDatedBackups(location: BackupLocation, { every, keep }: DatedOptions): Promise<void> {
  const { database, folder, schema } = location;
  const release = lockBackups(folder, database);
  const make = (report?: Report) => {
    const { made, rows, removed } = makeBackup(database, folder, schema, { keep, report });
    console.log(`${isoDate(made.time)} ${made.path} is verified: ${contentOf(rows, schema)}.`);
    for (const { path } of removed) console.log(`${isoDate(Date.now())} ${path} is removed.`);
  };
  try {
    if (every === undefined) return await withProgress(make);
    const signal = signalOfStop();
    const onError = ({ message }: DatabaseError) => console.error(`${isoDate(Date.now())} ${message}`);
    await makeBackupsEvery({ folder, intervalMs: every, signal, onError }, () => make());
  } finally {
    release();
  }
}

/** Returns a signal that SIGTERM and Ctrl+C abort. A second one ends the process at once. */
function signalOfStop(): AbortSignal {
  const stopping = new AbortController();
  for (const name of ["SIGTERM", "SIGINT"] as const) process.once(name, () => stopping.abort());
  return stopping.signal;
}

/** Returns the path of the newest backup not later than a time. Throws `DatabaseError` if there is none. */
export function backupAt({ folder }: BackupLocation, time: number): string {
  const found = existsSync(folder) ? newestBackup(folder, time) : undefined;
  if (found !== undefined) return found.path;
  throw new DatabaseError(
    `${folder} has no backup of ${isoDate(time)} or earlier. See \`${SERVICE.name} backups list\`.`,
  );
}

/** Adds `backups list` to the command line. */
export function addBackupsCommand(program: Command, located: () => BackupLocation): void {
  program
    .command("backups")
    .description("inspect the dated backups in BACKUP_FOLDER")
    .command("list")
    .description("verify each dated backup, and list date, size and content; the exit code is 1 if one is unusable")
    .option("--json", "print JSON")
    .action(async ({ json }: { json?: true }) => {
      const { folder, schema } = located();
      const found = existsSync(folder) ? backupsIn(folder) : [];
      const backups = await withProgress((report) => found.map((each) => examine(each, schema, report)));
      if (backups.some(({ problem }) => problem !== undefined)) process.exitCode = 1;
      if (json) return printJson(backups.map((each) => ({ ...each, time: isoDate(each.time) })));
      if (backups.length === 0) return console.log(`There are no backups in ${folder}.`);
      const rows = backups.map(({ path, time, bytes, rows: counts, problem }) => [
        isoDate(time),
        basename(path),
        formatBytes(bytes),
        problem ?? "verified",
        counts === undefined ? "" : contentOf(counts, schema),
      ]);
      printTable([["TIME", "FILE", "SIZE", "STATE", "CONTENT"], ...rows]);
    });
}

interface ListedBackup extends DatedBackup {
  bytes: number;
  /** Undefined if the backup is unusable. */
  rows?: RowCounts;
  /** Why the backup is unusable. */
  problem?: string;
}

function examine(backup: DatedBackup, schema: Schema, report: Report): ListedBackup {
  report(`Checking ${basename(backup.path)}`);
  const bytes = statSync(backup.path).size;
  try {
    return { ...backup, bytes, rows: verifyBackup(backup.path, schema) };
  } catch (error) {
    return { ...backup, bytes, problem: (error as Error).message };
  }
}

function contentOf(rows: RowCounts, { tables }: Schema): string {
  return nounsOf(rows, tables).join(", ") || "no rows";
}

/** How soon a failed backup is tried again, in milliseconds, unless the next one is due earlier. */
const RETRY_MS = 60_000;

/** The longest delay of a timer, which is 24 days: https://nodejs.org/api/timers.html */
const LONGEST_INTERVAL_MS = 24 * 86_400_000;

/** When backups are created. */
interface Schedule {
  folder: string;
  intervalMs: number;
  /** How soon a failed backup is tried again, in milliseconds. Default: one minute. */
  retryMs?: number;
  /** Ends the schedule, after the backup under way. */
  signal: AbortSignal;
  onError: (error: DatabaseError) => void;
}

/**
 * Calls `make` at every interval until the signal. The first call comes at once, or an interval after the newest backup in
 * the folder. A failed call is repeated. The clock decides only about the first call, so that setting it delays no backup by
 * more than an interval.
 */
export async function makeBackupsEvery(
  { folder, intervalMs, retryMs = RETRY_MS, signal, onError }: Schedule,
  make: () => void,
): Promise<void> {
  const age = Date.now() - (newestBackup(folder, Date.now())?.time ?? -Infinity);
  let due = performance.now() + Math.max(0, intervalMs - age);
  for (;;) {
    await setTimeout(Math.max(0, due - performance.now()), undefined, { signal }).catch(() => {}); // rejects at the signal
    if (signal.aborted) return;
    const start = performance.now();
    try {
      make();
      due = start + intervalMs;
    } catch (error) {
      if (!(error instanceof DatabaseError)) throw error;
      onError(error);
      due = performance.now() + Math.min(intervalMs, retryMs);
    }
  }
}
