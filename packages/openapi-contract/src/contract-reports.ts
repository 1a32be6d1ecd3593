import { type CheckFormat, formatChecks, hasPassed } from "./check-formats.ts";
import { IMPACTS } from "./comparison/compare.ts";
import type { Entry } from "./comparison/entries.ts";
import { type ChangesFormat, escaped, formatEntries, limitOf, ofContract, type ReportOptions } from "./output.ts";
import type { Check } from "./release/check.ts";

/** The entries or the checks of one contract. It has a name if the report may have several contracts. */
export interface Report<Item> {
  name?: string | undefined;
  items: Item[];
}

/**
 * Formats the entries of one contract as `formatEntries` does. Of several contracts, the most severe comes first, and they share the
 * length of Markdown: what a short report leaves is for longer ones.
 */
export function formatEntryReports(
  reports: Report<Entry>[],
  format: ChangesFormat,
  options: ReportOptions = {},
): string {
  if (format === "json" || format === "github") {
    const entries = reports.flatMap(({ name, items }) => items.map((entry) => ofContract(entry, name)));
    return formatEntries(entries, format, options);
  }
  const [prefix, nameOf] = format === "markdown" ? (["# ", escaped] as const) : (["", String] as const);
  const severity = ({ items: [first] }: Report<Entry>) => IMPACTS.indexOf(first?.impact ?? "documentation");
  const sorted = reports
    .toSorted((one, other) => severity(one) - severity(other))
    .map(({ name, items }) => ({ name: name && nameOf(name), items }));
  const write = (formatted: (entries: Entry[]) => string) =>
    sections(sorted, { prefix, title: "Unchanged", isBrief: (entries) => entries.length === 0 }, formatted);
  let left = limitOf(options) - write(() => "").length;
  const bySize = reports.map(({ items }) => items).toSorted((one, other) => one.length - other.length);
  const texts = new Map(
    bySize.map((entries, index) => {
      const text = formatEntries(entries, format, { ...options, maxLength: left / (bySize.length - index) });
      if (entries.length > 0) left -= text.length;
      return [entries, text];
    }),
  );
  return write((entries) => texts.get(entries)!);
}

/** Formats the checks of one contract as `formatChecks` does. Of several, those that report something come one after the other. */
export function formatCheckReports(reports: Report<Check>[], format: CheckFormat): string {
  if (format !== "text")
    return formatChecks(
      reports.flatMap(({ name, items }) => items.map((check) => ofContract(check, name))),
      format,
    );
  const isBrief = (checks: Check[]) => checks.every((check) => hasPassed(check) && check.warnings === undefined);
  return sections(reports, { prefix: "", title: "Passed", isBrief }, (checks) => formatChecks(checks, format));
}

function sections<Item>(
  reports: Report<Item>[],
  { prefix, title, isBrief }: { prefix: string; title: string; isBrief: (items: Item[]) => boolean },
  format: (items: Item[]) => string,
): string {
  const [first] = reports;
  if (first?.name === undefined) return format(first?.items ?? []);
  const { long = [], brief = [] } = Object.groupBy(reports, ({ items }) => (isBrief(items) ? "brief" : "long"));
  return [
    ...long.map(({ name, items }) => `${prefix}${name}\n\n${format(items).trimEnd()}\n`),
    ...(brief.length === 0 ? [] : [`${title}: ${brief.map(({ name }) => name).join(", ")}\n`]),
  ].join("\n");
}
