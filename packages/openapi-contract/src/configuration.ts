import { LineCounter, parseDocument } from "yaml";
import type { z } from "zod";
import { syntaxProblem } from "./lint/syntax-errors.ts";

/** Parses the YAML of a configuration. Throws for a fault in it, with its place in `file`. */
export function parseConfiguration<Schema extends z.ZodType>(
  schema: Schema,
  text: string,
  file: string,
): z.infer<Schema> {
  const lineCounter = new LineCounter();
  const document = parseDocument(text, { lineCounter });
  const refuse = (line: number, message: string) => new Error(`${file}:${line}  ${message}`);
  const [error] = document.errors;
  if (error !== undefined) {
    const { line, message } = syntaxProblem(text, error.message);
    throw refuse(line, message);
  }
  const { data, error: fault } = schema.safeParse(document.toJS() ?? {});
  if (fault === undefined) return data;
  const [{ path: at, message } = { path: [], message: "" }] = fault.issues;
  const known = at.map((_, index) => at.slice(0, index + 1)).findLast((keys) => document.hasIn(keys));
  const node = document.getIn(known ?? [], true) as { range?: number[] } | null;
  throw refuse(lineCounter.linePos(node?.range?.[0] ?? 0).line, `${at.join(".")}: ${message}.`);
}
