import { existsSync, readFileSync, statSync } from "node:fs";
import { basename, dirname, isAbsolute, relative, resolve, sep } from "node:path";
import { isMap, isPair, isScalar, parseDocument, stringify, visit } from "yaml";
import type { Files } from "./project.ts";

/** A reference to another file, and its place in the text. */
interface FileReference {
  file: string;
  fragment: string;
  start: number;
  end: number;
}

/**
 * Reads a contract and every file that it refers to, directly or not. Returns them by path from `openapi`, the contract first, as
 * `openapi.yaml`. References between the files stay valid. Throws for a file that is missing or is neither YAML nor JSON.
 */
export function contractFiles(path: string): Files {
  const root = resolve(path);
  if (!statSync(root, { throwIfNoEntry: false })?.isFile())
    throw new Error(`${existsSync(root) ? `${path} is not a file` : `There is no file ${path}`}. ${NAME_CONTRACT}`);
  const texts = new Map<string, string>();
  const references = new Map<string, FileReference[]>();
  read(root, [root]);
  const places = placesOf(root, [...texts.keys()]);
  const files: Files = new Map();
  for (const [file, text] of texts) {
    const moved = withReferences(text, references.get(file)!, (target) => {
      const from = dirname(places.get(file)!);
      const to = relative(from, places.get(target)!).split(sep).join("/");
      return to.startsWith(".") ? to : `./${to}`;
    });
    files.set(places.get(file)!, file === root ? asYaml(moved) : moved);
  }
  return files;

  function read(file: string, trail: string[]): void {
    if (texts.has(file)) return;
    const text = readText(file, trail);
    texts.set(file, text);
    const isDocument = /\.(?:ya?ml|json)$/i.test(file) || file === root;
    references.set(file, isDocument ? referencesIn(file, text, file === root) : []);
    for (const { file: target } of references.get(file)!) read(target, [...trail, target]);
  }
}

const NAME_CONTRACT = "Name the contract: an OpenAPI 3 document in YAML or JSON.";

function readText(file: string, trail: string[]): string {
  try {
    return readFileSync(file, "utf8").replace(/^\uFEFF/, "");
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const [, from] = trail.toReversed();
    throw new Error(
      `${from === undefined ? file : `${from} refers to ${file}, which`} cannot be read (${code}). Correct the reference, or add the file.`,
      { cause: error },
    );
  }
}

/** Returns the references to files in a text: `$ref`, the `mapping` of a discriminator, and `externalValue`. */
function referencesIn(file: string, text: string, isRoot: boolean): FileReference[] {
  const found: FileReference[] = [];
  if (text.includes("\0")) throw new Error(`${file} is not a text file in UTF-8. ${NAME_CONTRACT}`);
  const document = parseDocument(text, { logLevel: "silent" });
  const [error] = document.errors;
  if (error !== undefined) throw new Error(`${file} cannot be parsed. ${error.message}`);
  if (isRoot && !isMap(document.contents))
    throw new Error(`${file} is ${text.trim() === "" ? "empty" : "not an OpenAPI document"}. ${NAME_CONTRACT}`);
  visit(document, {
    Pair(_, { key, value }, path) {
      if (!isScalar(key) || !isScalar(value) || typeof value.value !== "string" || !value.range) return;
      const keys = path.filter((node) => isPair(node)).map((node) => isScalar(node.key) && node.key.value);
      const isMapping = keys.at(-1) === "mapping" && keys.at(-2) === "discriminator";
      if (key.value !== "$ref" && key.value !== "externalValue" && !isMapping) return;
      const [target = "", ...fragment] = value.value.split("#");
      const isMissing = keys.some((one) => String(one).startsWith("x-")) && !existsSync(resolve(dirname(file), target));
      const isFile =
        !isMissing && target !== "" && !/^[a-z][a-z\d+.-]*:/i.test(target) && (!isMapping || /[/.]/.test(target));
      if (!isFile || isAbsolute(target)) return;
      const [start, end] = value.range;
      found.push({
        file: resolve(dirname(file), target),
        fragment: fragment.length === 0 ? "" : `#${fragment.join("#")}`,
        start,
        end,
      });
    },
  });
  return found;
}

/** Returns the new path of each file from `openapi`: the same as from the contract, or from the folder that all share. */
function placesOf(root: string, files: string[]): Map<string, string> {
  const folder = dirname(root);
  const isBelow = files.every((file) => !relative(folder, file).startsWith(".."));
  const base = isBelow ? folder : files.map(dirname).reduce(sharedFolder);
  const places = new Map<string, string>([[root, "openapi.yaml"]]);
  const taken = new Set(["openapi.yaml", "redocly.yaml", "README.md", "words.txt"]);
  for (const file of files) {
    if (file === root) continue;
    const place = relative(base, file).split(sep).join("/");
    const free = taken.has(place) ? `files/${basename(file)}` : place;
    taken.add(free);
    places.set(file, free);
  }
  return places;
}

function sharedFolder(one: string, other: string): string {
  const [these, those] = [one.split(sep), other.split(sep)];
  const length = these.findIndex((part, index) => part !== those[index]);
  return (length === -1 ? these : these.slice(0, length)).join(sep) || sep;
}

function withReferences(text: string, references: FileReference[], placeOf: (file: string) => string): string {
  let moved = text;
  for (const { file, fragment, start, end } of references.toSorted((one, other) => other.start - one.start))
    moved = moved.slice(0, start) + JSON.stringify(placeOf(file) + fragment) + moved.slice(end);
  return moved;
}

/** Returns the YAML of a JSON string, and other strings as they are. */
function asYaml(text: string): string {
  return text.trimStart().startsWith("{")
    ? stringify(JSON.parse(text), { lineWidth: 0, aliasDuplicateObjects: false })
    : text;
}
