import { readFile } from "node:fs/promises";
import { relative } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import {
  escapeKey,
  holdsValue,
  IS_MAP,
  isRecord,
  type OpenApiDocument,
  pointer,
  pointerKeys,
  withLocalReferences,
} from "openapi-document";
import { parse } from "yaml";

/** The most bytes that the files of a document may have together. */
const MAX_BYTES = 64 * 2 ** 20;
/** The most objects and lists around a value. */
const MAX_DEPTH = 500;
/** The most references that may lead from one to the next. */
const MAX_HOPS = 32;

/**
 * Resolves to the OpenAPI document in a file, YAML or JSON, bundled with what it refers to in other local files. The schemas of
 * other files become components. A component that only refers to such a schema is that schema. Reads nothing from the network.
 * Rejects with the file, the place and the remedy for a file or a reference that cannot be read.
 */
export async function readDocument(path: string | URL): Promise<OpenApiDocument> {
  const root = path instanceof URL ? path : pathToFileURL(path);
  const files = new Files();
  const document = await files.read(root);
  if (!isRecord(document))
    throw new Error(`${nameOf(root)} is not an OpenAPI document. Begin it with \`openapi: 3.1.1\`.`);
  return new Bundle(document as unknown as OpenApiDocument, root, files).complete();
}

/** A reference, as the value of a key of an object. */
interface Found {
  owner: Record<string, unknown>;
  key: string;
  file: URL;
  /** The JSON pointer of the object in its file. */
  at: string;
  isSchema: boolean;
}

interface Target {
  file: URL;
  /** The JSON pointer in the file, such as `#/components/schemas/Book`, or `#` for the whole file. */
  at: string;
  value: unknown;
}

class Bundle {
  readonly #document: OpenApiDocument;
  readonly #root: URL;
  readonly #files: Files;
  readonly #found: Found[] = [];
  readonly #seen = new Set<object>();
  /** The reference to each schema of another file, by its URL. */
  readonly #placed = new Map<string, string>();

  constructor(document: OpenApiDocument, root: URL, files: Files) {
    this.#document = document;
    this.#root = root;
    this.#files = files;
  }

  /** Follows every reference to another file. The names of the document's own components come first. */
  async complete(): Promise<OpenApiDocument> {
    this.#find(this.#document, this.#root, "#");
    const isComponent = ({ at }: Found) => /^#\/components\/schemas\/[^/]+$/.test(at);
    this.#found.sort((one, other) => Number(isComponent(other)) - Number(isComponent(one)));
    for (const found of this.#found) {
      const { owner, key, file, at, isSchema } = found;
      const reference = owner[key] as string;
      if (file === this.#root && reference.startsWith("#")) continue;
      const target = await this.#targetOf(reference, file, at);
      if (target.file.href === this.#root.href) owner[key] = target.at;
      else if (isSchema)
        owner[key] = this.#place(target, isComponent(found) && file === this.#root ? found : undefined);
      else await this.#inline(owner, target, at);
    }
    return this.#document;
  }

  /** Adds the references of a value to those that are followed. */
  #find(node: unknown, file: URL, at: string, isSchema = false, isMap = false): void {
    if (typeof node !== "object" || node === null || this.#seen.has(node)) return;
    this.#seen.add(node);
    const add = (owner: unknown, key: string, isOfSchema = isSchema) => {
      if (isRecord(owner) && typeof owner[key] === "string")
        this.#found.push({ owner, key, file, at, isSchema: isOfSchema });
    };
    if (!isMap) add(node, "$ref");
    const { discriminator } = node as { discriminator?: { mapping?: object } };
    for (const [name, value] of Object.entries((isSchema && !isMap && discriminator?.mapping) || {}))
      if (/[#/]|\.(?:ya?ml|json)$/.test(String(value))) add(discriminator!.mapping, name, true);
    for (const [key, value] of Object.entries(node))
      if (isMap || !holdsValue(key, value)) {
        const holdsSchemas = isSchema || (!isMap && ["schema", "itemSchema", "schemas"].includes(key));
        const holdsNames = !isMap && (IS_MAP.has(key) || key === "examples");
        this.#find(value, file, `${at}/${escapeKey(key)}`, holdsSchemas, holdsNames);
      }
  }

  async #targetOf(reference: string, from: URL, at: string): Promise<Target> {
    const place = `${nameOf(from)}${at}: The reference ${reference}`;
    const [path = "", fragment = ""] = reference.split("#");
    const file = path === "" ? from : URL.parse(path, from);
    if (file === null || file.protocol !== "file:")
      throw new Error(`${place} leads to another host. Save its target beside the document, and refer to that file.`);
    if (fragment !== "" && !fragment.startsWith("/"))
      throw new Error(
        `${place} leads to no schema of ${nameOf(file)}. Refer to one by its path, such as #/$defs/Book.`,
      );
    const content = await this.#files.read(file, place);
    const pointed = `#${fragment}`;
    try {
      const value = fragment === "" ? content : pointer(content as OpenApiDocument, pointed);
      return { file, at: pointed, value };
    } catch {
      throw new Error(`${place} has no target in ${nameOf(file)}. Correct it, or add its target.`);
    }
  }

  /** Makes a schema of another file a component. Returns the reference to it. A component that refers to it gives it its name. */
  #place({ file, at, value }: Target, component: Found | undefined): string {
    const url = file.href + at;
    const placed = this.#placed.get(url);
    if (placed !== undefined) return placed;
    const components = (this.#document.components ??= {}) as { schemas?: Record<string, unknown> };
    const schemas = (components.schemas ??= {});
    const isAlone = component !== undefined && Object.keys(component.owner).length === 1;
    const [named] = pointerKeys(isAlone ? component.at : at).slice(-1);
    const base = (named || nameOf(file).replace(/^.*\/|\.\w+$/g, "")).replaceAll(/[^\w.-]/g, "_");
    const isTaken = (name: string) => !isAlone && Object.hasOwn(schemas, name);
    let name = isAlone ? named! : base;
    for (let count = 2; isTaken(name); count++) name = `${base}-${count}`;
    const reference = `#/components/schemas/${escapeKey(name)}`;
    this.#placed.set(url, reference);
    schemas[name] = value;
    this.#find(value, file, at, true);
    return reference;
  }

  /** Replaces a reference to something other than a schema by its target. Keys beside the reference take precedence. */
  async #inline(owner: Record<string, unknown>, first: Target, at: string): Promise<void> {
    let target = first;
    for (let hops = 0; ; hops++) {
      const { value } = target;
      if (!isRecord(value) || typeof value["$ref"] !== "string") break;
      if (hops === MAX_HOPS)
        throw new Error(
          `${nameOf(first.file)}${first.at}: The reference ${value["$ref"]} leads back to itself. Remove one.`,
        );
      target = await this.#targetOf(value["$ref"], target.file, target.at);
    }
    const { $ref: _, ...siblings } = owner;
    if (!isRecord(target.value))
      throw new Error(`${nameOf(target.file)}${target.at} is not an object, which a reference at ${at} needs.`);
    delete owner["$ref"];
    Object.assign(owner, target.value, siblings);
    this.#find(target.value, target.file, target.at);
  }
}

/** Reads each file once. */
class Files {
  readonly #contents = new Map<string, Promise<unknown>>();
  #bytes = 0;

  read(file: URL, place?: string): Promise<unknown> {
    const content = this.#contents.get(file.href) ?? this.#parsed(file, place);
    this.#contents.set(file.href, content);
    return content;
  }

  /** `place` names the reference to the file. */
  async #parsed(file: URL, place?: string): Promise<unknown> {
    const name = nameOf(file);
    const text = await readFile(file, "utf8").catch((error: NodeJS.ErrnoException) => {
      const subject = place === undefined ? `The document ${name}` : `${place} leads to ${name}, which`;
      throw new Error(`${subject} cannot be read (${error.code}). Correct the path, or write the file.`, {
        cause: error,
      });
    });
    this.#bytes += text.length;
    if (this.#bytes > MAX_BYTES)
      throw new Error(`${name}: The files of the document have more than ${MAX_BYTES} bytes. Split the document.`);
    try {
      const content: unknown = file.pathname.endsWith(".json")
        ? JSON.parse(text.replace(/^\uFEFF/, ""))
        : parse(text, { merge: true, logLevel: "error", maxAliasCount: 10_000 });
      expectShallow(content);
      return isRecord(content) ? withLocalReferences(content as unknown as OpenApiDocument) : content;
    } catch (error) {
      throw new Error(`${name}: ${(error as Error).message.trimEnd()}`, { cause: error });
    }
  }
}

/** Throws for a value that is too deep to be read. */
function expectShallow(node: unknown, depth = 0, seen = new Set<object>()): void {
  if (typeof node !== "object" || node === null || seen.has(node)) return;
  if (depth > MAX_DEPTH)
    throw new Error(
      `A value is more than ${MAX_DEPTH} levels deep, or has an alias of the value around it. Use $ref in place of the alias.`,
    );
  for (const value of Object.values(node)) expectShallow(value, depth + 1, seen);
  seen.add(node);
}

/** Returns the path of a file from the working directory. */
function nameOf(file: URL): string {
  return relative(process.cwd(), fileURLToPath(file)).replaceAll("\\", "/");
}
