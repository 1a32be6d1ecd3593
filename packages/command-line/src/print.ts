/** The control characters but tab and line breaks, and the characters that reorder a line (Unicode's bidirectional controls). */
const CONTROLS = /(?!\t|\r?\n)[\p{Cc}\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]/gu;

/** Returns a string whose control characters are written as in JSON, such as `\u001b`, so that they cannot change a terminal. */
export function visible(text: string): string {
  return text.replace(CONTROLS, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

/** Prints a value as JSON. */
export function printJson(value: unknown): void {
  console.log(JSON.stringify(value, null, 2));
}

/** Prints rows in aligned columns. The first row contains the titles. Line breaks in a cell are escaped. */
export function printTable(cells: string[][]): void {
  const rows = cells.map((row) =>
    row.map((cell) => visible(cell).replaceAll(/[\t\r\n]/g, (one) => JSON.stringify(one).slice(1, -1))),
  );
  const widths = rows[0]?.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0))) ?? [];
  for (const row of rows)
    console.log(
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join("  ")
        .trimEnd(),
    );
}

/** Formats a time in milliseconds since 1970 as RFC 3339, in UTC. */
export function isoDate(time: number): string {
  return new Date(time).toISOString();
}

/** Formats a number of bytes, such as `512 B` or `24.4 MiB`. */
export function formatBytes(bytes: number): string {
  const units = ["B", "KiB", "MiB", "GiB", "TiB"];
  const exponent = Math.min(units.length - 1, Math.floor(Math.log2(Math.max(1, bytes)) / 10));
  return `${(bytes / 1024 ** exponent).toFixed(exponent === 0 ? 0 : 1)} ${units[exponent]}`;
}
