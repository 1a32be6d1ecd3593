import { formatBytes, isoDate, printJson, printTable } from "@platform/command-line";
import type { AnyTables } from "@platform/storage/registration";
import { databaseStats, type DatabaseStats, type Precision, type TableStats } from "@platform/storage/stats";
import type { Command } from "commander";

/** The database that `stats` reads, and its tables. */
export interface StatsSource {
  /** Called when the command runs. */
  databaseUrl: () => string;
  tables: AnyTables;
}

/** Adds `stats` to the command line. */
export function addStatsCommand(program: Command, { databaseUrl, tables }: StatsSource): void {
  program
    .command("stats")
    .description("show what is in the database: rows, bytes and times of each table; also while the service runs")
    .option("--json", "print JSON")
    .action(async ({ json }: { json?: true }) => {
      const stats = await databaseStats(databaseUrl(), tables);
      if (json) return printJson({ ...stats, tables: stats.tables.map(toJson) });
      console.log(summaryOf(stats));
      printTable([["TABLE", "ROWS", "SIZE", "OLDEST", "NEWEST"], ...stats.tables.map(toRow)]);
    });
}

function summaryOf({ database, bytes, freeBytes, walBytes, deadRows }: DatabaseStats): string {
  const parts = [`${database}: ${formatBytes(bytes)}`];
  if (freeBytes !== undefined) parts.push(`${formatBytes(freeBytes)} of it free`);
  if (walBytes !== undefined) parts.push(`write-ahead log ${formatBytes(walBytes)}`);
  if (deadRows !== undefined) parts.push(`${formatNumber(deadRows)} dead rows`);
  return parts.join(", ");
}

function toJson({ oldest, newest, ...table }: TableStats): object {
  return { ...table, oldest: timeOf(oldest) ?? null, newest: timeOf(newest) ?? null };
}

function toRow({ table, rows, rowsAre, bytes, bytesAre, oldest, newest }: TableStats): string[] {
  const [size, count] = [MARKS[bytesAre] + formatBytes(bytes), MARKS[rowsAre] + formatNumber(rows)];
  return [table, count, size, timeOf(oldest) ?? "", timeOf(newest) ?? ""];
}

/** The marks before numbers that are not exact. */
const MARKS: Record<Precision, string> = { exact: "", estimate: "~", minimum: ">" };

function timeOf(time: number | undefined): string | undefined {
  return time === undefined ? undefined : isoDate(time);
}

function formatNumber(value: number): string {
  return value.toLocaleString("en");
}
