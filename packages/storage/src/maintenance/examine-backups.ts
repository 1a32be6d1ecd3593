import { basename } from "node:path";
import { NAME } from "@platform/command-line/name";
import type { Schema } from "../registration.ts";
import { type DatedBackup, newestBackup, verifyBackup } from "./backup-folder.ts";
import type { Finding } from "./examine-database.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

/** Verifies the newest backup in a folder. Reports a backup that is unusable or at least as old as `maxAge` milliseconds. */
export function examineBackups(folder: string, maxAge: number, schema: Schema): Finding {
  const remedy = `See that \`${NAME} backup --every\` runs, and read its output.`;
  let newest: DatedBackup | undefined;
  try {
    newest = newestBackup(folder, Date.now());
  } catch (error) {
    return { found: `${folder} cannot be read (${(error as Error).message})`, remedy };
  }
  if (newest === undefined) return { found: `none in ${folder}`, remedy };
  const name = basename(newest.path);
  try {
    verifyBackup(newest.path, schema);
  } catch (error) {
    const found = `the newest, ${name}, is unusable (${(error as Error).message})`;
    return { found, remedy: `Make another with \`${NAME} backup\`, and check the disk.` };
  }
  const age = Date.now() - newest.time;
  const found = `the newest, ${name}, is intact and ${durationOf(age)} old`;
  return age < maxAge ? { found } : { found, remedy };
}

function durationOf(milliseconds: number): string {
  return milliseconds < 2 * HOUR ? `${Math.floor(milliseconds / MINUTE)} min` : `${Math.floor(milliseconds / HOUR)} h`;
}
