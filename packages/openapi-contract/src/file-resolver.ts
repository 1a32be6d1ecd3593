import {
  BaseResolver,
  type Document,
  type LocationObject,
  parseYaml,
  type Source,
  unescapePointerFragment,
} from "@redocly/openapi-core";
import { jsonPositions, parsedJson } from "./json-text.ts";

/** The values of the files of JSON, and the positions in them. Redocly would parse the texts twice, as YAML. */
const JSON_FILES = new WeakMap<Source, { value: unknown; positionOf: ReturnType<typeof jsonPositions> }>();

/** Reads the files of a contract. */
export class FileResolver extends BaseResolver {
  override parseDocument(source: Source, isRoot = false): Document {
    const value = isRoot || source.absoluteRef.endsWith(".json") ? parsedJson(source.body) : undefined;
    if (value === undefined) return super.parseDocument(source, isRoot);
    JSON_FILES.set(source, { value, positionOf: jsonPositions(source.body) });
    return { source, parsed: value };
  }
}

/** Returns whether a file has been read as JSON, so that no two parts of its value are one object. */
export function isJson(source: Source): boolean {
  return JSON_FILES.has(source);
}

/** Returns the value of a file. */
export function valueOf(source: Source): unknown {
  return JSON_FILES.get(source)?.value ?? parseYaml(source.body);
}

/** Returns the position of a place in a file of JSON, or of the nearest place around it. */
export function positionInJson({
  source,
  pointer,
  reportOnKey = false,
}: LocationObject): { line: number; col: number } | undefined {
  const file = JSON_FILES.get(source);
  if (file === undefined || pointer === undefined) return undefined;
  const keys = keysOf(pointer).filter((key) => key !== "");
  const around = keys.map((_, index) => keys.slice(0, keys.length - index));
  for (const path of [...around, []]) {
    const position = file.positionOf(path, reportOnKey);
    if (position !== undefined) return position;
  }
  return undefined;
}

/** Returns the keys of a JSON pointer (RFC 6901), with or without `#`; none without a pointer. */
export function keysOf(pointer = ""): string[] {
  return pointer
    .split("/")
    .slice(1)
    .map((key) => unescapePointerFragment(key));
}
