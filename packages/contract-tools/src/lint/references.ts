import { isAbsoluteUrl, type LocationObject, parseYaml, unescapePointerFragment } from "@redocly/openapi-core";
import { closest, distance } from "fastest-levenshtein";
import { escapeKey } from "openapi-document";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { basename, dirname, posix, resolve } from "node:path";

/** Names that differ more are not a misspelling of each other. */
const MAX_DISTANCE = 4;

/** Returns the message on a reference that leads nowhere: the reference, and the closest one that leads somewhere. */
export function unresolvedReference({ source, pointer }: LocationObject, message: string): string {
  const node = pointer === undefined ? undefined : nodeAt(parseYaml(source.body), keysOf(pointer));
  const reference = typeof node === "string" ? node : (node as { $ref?: unknown } | undefined)?.$ref;
  if (typeof reference !== "string") return message;
  const similar = similarReference(reference, source.absoluteRef);
  return `Can't resolve $ref "${reference}".${similar === undefined ? "" : ` Did you mean "${similar}"?`}`;
}

function similarReference(reference: string, from: string): string | undefined {
  const [file = "", fragment] = reference.split("#");
  if (isAbsoluteUrl(file) || isAbsoluteUrl(from)) return undefined;
  const path = file === "" ? from : resolve(dirname(from), file);
  if (!existsSync(path)) {
    const name = similarName(basename(path), existsSync(dirname(path)) ? readdirSync(dirname(path)) : []);
    return name && [posix.join(posix.dirname(file), name), ...(fragment === undefined ? [] : [fragment])].join("#");
  }
  const keys = keysOf(fragment ?? "");
  const document = parseYaml(readFileSync(path, "utf8"));
  const index = keys.findIndex((_key, at) => nodeAt(document, keys.slice(0, at + 1)) === undefined);
  const parent = nodeAt(document, keys.slice(0, index));
  const name = index === -1 ? undefined : similarName(keys[index]!, Object.keys(parent ?? {}));
  return name && `${file}#/${keys.with(index, name).map(escapeKey).join("/")}`;
}

function similarName(name: string, names: string[]): string | undefined {
  const best = names.length === 0 ? undefined : closest(name, names);
  return best !== undefined && distance(name, best) < MAX_DISTANCE ? best : undefined;
}

/** Returns the keys of a JSON pointer (RFC 6901), with or without `#`. */
export function keysOf(pointer: string): string[] {
  return pointer
    .split("/")
    .slice(1)
    .map((key) => unescapePointerFragment(key));
}

function nodeAt(document: unknown, keys: string[]): unknown {
  return keys.reduce<unknown>((node, key) => (node as Record<string, unknown> | undefined | null)?.[key], document);
}
