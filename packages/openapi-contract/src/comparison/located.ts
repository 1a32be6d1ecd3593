import type { OpenApiDocument } from "openapi-document";
import { type Alternative, type SchemaNode, valuesOf } from "./alternatives.ts";

/**
 * The notation of a value: JSON or XML; text, as of a parameter; text that may be repeated for an array; a form; and a field of a
 * form, whose objects are JSON.
 */
export type Medium = "json" | "xml" | "text" | "exploded" | "form" | "part";

/** Returns the notation of the fields or of the items of a value. */
export function mediumBelow(medium: Medium, of: "fields" | "items"): Medium {
  if (medium === "form") return "part";
  if (medium === "exploded") return "text";
  return medium === "part" && of === "fields" ? "json" : medium;
}

export function isText(medium: Medium): boolean {
  return medium === "text" || medium === "exploded" || medium === "part";
}

/** A schema of a document. */
export interface Located {
  document: OpenApiDocument;
  schema: SchemaNode;
}

/** An alternative of a document. */
export interface LocatedAlternative extends Alternative {
  document: OpenApiDocument;
}

/** The most schemas to look at for one answer, and the most levels. */
const MAX_STEPS = 4_000;
export const MAX_DEPTH = 40;

/** The pairs that are assumed to hold, since schemas may contain themselves, and the effort left. */
export interface Proof {
  assumed: Map<string, OpenApiDocument>;
  left: number;
  depth: number;
}

export function newProof(): Proof {
  return { assumed: new Map(), left: MAX_STEPS, depth: 0 };
}

/** Returns the values of an alternative that has only a few. */
export function finiteValues({ type, keywords }: Alternative): unknown[] | undefined {
  const listed = valuesOf(keywords)?.map((value) => JSON.parse(value) as unknown);
  if (listed !== undefined) return listed;
  if (type === "boolean") return [true, false];
  return type === "null" ? [null] : undefined;
}
