import { runInThisContext } from "node:vm";
import { dereference, format, type Schema as ValidatedSchema, validate } from "@cfworker/json-schema";
import { generateSync } from "json-schema-faker";
import { sample } from "openapi-sampler";
import RandExp from "randexp";
import { at, type Description, follow, type Node } from "./description.ts";

const BASE = new URL("https://census.invalid/");
/** The format of OpenAPI 3.0 that the validator does not know. */
format["byte"] = (text) => /^(?:[\w+/-]{4})*(?:[\w+/-]{2}==|[\w+/-]{3}=)?$/.test(text);
const FAKER_SEEDS = Array.from({ length: 16 }, (_, index) => index + 1);

/** Makes values of the schemas of one document, for requests or for responses. */
export class Values {
  readonly #document: Description;
  readonly #excluded: "readOnly" | "writeOnly";
  readonly #draft: "4" | "2020-12";
  /** The schemas that were prepared for validation, by their URI. */
  readonly #lookup: Record<string, ValidatedSchema | boolean> = Object.create(null) as never;
  readonly #prepared = new Map<string, Node>();
  readonly #shared: object;
  #count = 0;

  constructor(document: Description, direction: "request" | "response") {
    this.#document = document;
    this.#excluded = direction === "request" ? "readOnly" : "writeOnly";
    const schemas = Object.entries((document.components?.["schemas"] ?? {}) as Node);
    this.#shared = {
      components: { schemas: Object.fromEntries(schemas.map(([name, schema]) => [name, this.#converted(schema)])) },
    };
    this.#draft = document.openapi.startsWith("3.0") ? "4" : "2020-12";
  }

  /** Returns whether a value is valid. */
  isValid(schema: unknown, value: unknown): boolean {
    if (schema === undefined) return true;
    const prepared = this.#prepareIfPossible(schema);
    return prepared !== undefined && validate(value, prepared, this.#draft, this.#lookup).valid;
  }

  /** Returns the schemas of an object's fields, without references. */
  fieldSchemas(schema: unknown): Record<string, Node> {
    const properties = (follow(this.#document, schema)?.["properties"] ?? {}) as Node;
    return Object.fromEntries(
      Object.entries(properties).map(([name, field]) => [name, follow(this.#document, field) ?? {}]),
    );
  }

  /** Yields valid values: the given examples, a sample with all fields, one with the required fields, random ones. */
  *valid(schema: unknown, examples: unknown[] = []): Generator {
    const node = follow(this.#document, schema) ?? {};
    const prepared = this.#prepareIfPossible(schema ?? {});
    if (prepared === undefined) return;
    const makers = [
      ...examples.map((example) => () => example),
      () =>
        sample(
          node,
          { skipReadOnly: this.#excluded === "readOnly", skipWriteOnly: this.#excluded === "writeOnly", quiet: true },
          this.#document,
        ),
      () => sample(node, { skipReadOnly: true, skipNonRequired: true, quiet: true }, this.#document),
      ...FAKER_SEEDS.map(
        (seed) => () =>
          generateSync(withTexts(this.#bundle(schema ?? {})), { seed, requiredOnly: seed % 2 === 1 } as never),
      ),
    ];
    for (const make of makers) {
      let value: unknown;
      try {
        value = callInTime(() => {
          const made = make();
          return made !== undefined && validate(made, prepared, this.#draft, this.#lookup).valid ? made : undefined;
        });
        if (value === undefined) continue;
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === "ERR_SCRIPT_EXECUTION_TIMEOUT") return;
        continue; // the next maker may succeed
      }
      yield value;
    }
  }

  /** Returns undefined for a schema that the validator does not take, such as one whose `$id` another schema has. */
  #prepareIfPossible(schema: unknown): Node | undefined {
    try {
      return this.#prepare(schema, `/inline/${this.#count++}`);
    } catch {
      return undefined;
    }
  }

  /** Registers a schema and everything it refers to with the validator. */
  #prepare(schema: unknown, pointer: string): Node {
    const prepared = this.#converted(schema) as Node;
    dereference(prepared, this.#lookup, BASE, pointer);
    for (const ref of referencesIn(prepared)) this.#prepareReference(ref);
    return prepared;
  }

  #prepareReference(ref: string): void {
    if (this.#prepared.has(ref)) return;
    const target = at(this.#document, ref);
    if (target === undefined) return;
    // A reference may lead into another one's target, which then has to be the same object for the validator.
    const converted = (at(this.#shared as Description, ref) ?? this.#converted(target)) as Node;
    this.#prepared.set(ref, converted);
    dereference(converted, this.#lookup, BASE, ref.slice(1));
    for (const inner of referencesIn(converted)) this.#prepareReference(inner);
  }

  /** Copies a schema as JSON Schema: without the fields of the other direction, and with `null` as a type. */
  #converted(node: unknown): unknown {
    if (typeof node !== "object" || node === null) return node;
    if (Array.isArray(node)) return node.map((item) => this.#converted(item));
    const { nullable, ...copy } = Object.fromEntries<unknown>(
      Object.entries(node)
        .filter(([key]) => key !== "example" && key !== "examples" && key !== "default" && key !== "id")
        .map(([key, value]) => [key, key === "enum" || key === "const" ? value : this.#convertedKeyword(key, value)]),
    );
    if (nullable === true && typeof copy["type"] === "string") copy["type"] = [copy["type"], "null"];
    if (Array.isArray(copy["required"])) {
      const properties = ((node as Node)["properties"] ?? {}) as Node;
      copy["required"] = copy["required"].filter(
        (name: string) => follow(this.#document, properties[name])?.[this.#excluded] !== true,
      );
    }
    return copy;
  }

  #convertedKeyword(key: string, value: unknown): unknown {
    if (key === "pattern" && typeof value === "string") return withUnicodeEscapes(value);
    const isMap = key === "properties" || key === "patternProperties" || key === "$defs" || key === "dependentSchemas";
    if (!isMap || typeof value !== "object" || value === null) return this.#converted(value);
    const isExcluded = (schema: unknown) =>
      key === "properties" && follow(this.#document, schema)?.[this.#excluded] === true;
    return Object.fromEntries(
      Object.entries(value).map(([name, schema]) => [name, isExcluded(schema) ? { not: {} } : this.#converted(schema)]),
    );
  }

  /** Returns a schema that holds the targets of its references. */
  #bundle(schema: unknown): Node {
    const root = { ...(this.#converted(schema) as Node) };
    const pending = referencesIn(root);
    const seen = new Set<string>();
    for (let ref = pending.pop(); ref !== undefined; ref = pending.pop()) {
      if (seen.has(ref) || !ref.startsWith("#/")) continue;
      seen.add(ref);
      const target = this.#prepared.get(ref);
      if (target === undefined) continue;
      const keys = ref.slice(2).split("/");
      let holder = root;
      for (const key of keys.slice(0, -1)) holder = (holder[key] ??= {}) as Node;
      holder[keys.at(-1)!] = target;
      pending.push(...referencesIn(target));
    }
    return root;
  }
}

const TIMED = "the function that the census times";

/** Calls a function, and throws `ERR_SCRIPT_EXECUTION_TIMEOUT` after a second. Some makers never end. */
function callInTime<Value>(make: () => Value): Value {
  Object.assign(globalThis, { [TIMED]: make });
  return runInThisContext(`globalThis[${JSON.stringify(TIMED)}]()`, { timeout: 1_000 }) as Value;
}

/** Copies a schema with texts in place of each pattern, because json-schema-faker fails for many. */
function withTexts(node: unknown): Node {
  if (typeof node !== "object" || node === null) return node as never;
  if (Array.isArray(node)) return node.map(withTexts) as never;
  const { pattern } = node as Node;
  const texts = typeof pattern === "string" ? textsOf(pattern, node) : [];
  if (texts.length > 0) return { type: "string", enum: texts };
  return Object.fromEntries(Object.entries(node).map(([key, value]) => [key, withTexts(value)]));
}

/** Returns up to three texts that match a pattern and have the length that a schema asks for. */
function textsOf(
  pattern: string,
  { minLength = 0, maxLength = Infinity }: { minLength?: number; maxLength?: number },
): string[] {
  const texts: string[] = [];
  try {
    const expression = new RegExp(pattern, "u");
    const generator = new RandExp(withoutUnicodeEscapes(pattern));
    for (let attempt = 0; attempt < 60 && texts.length < 3; attempt++) {
      generator.max = Math.min(minLength + attempt, 100); // of repetitions without a maximum
      const text = generator.gen();
      if (text.length >= minLength && text.length <= maxLength && expression.test(text)) texts.push(text);
    }
  } catch {
    // neither library supports the pattern
  }
  return texts;
}

/** Writes needless escapes such as `\_` as the validator accepts them, which compiles patterns with the flag `u`. */
function withUnicodeEscapes(pattern: string): string {
  return pattern.replaceAll(/\\([\x20-\x7e])/g, (escape, character: string) =>
    /[\w^$\\.*+?()[\]{}|/]/.test(character) && character !== "_"
      ? escape
      : `\\x${character.charCodeAt(0).toString(16)}`,
  );
}

/** Reverses `withUnicodeEscapes`, because randexp reads `\x2d` as text. */
function withoutUnicodeEscapes(pattern: string): string {
  return pattern.replaceAll(
    /\\x([\da-f]{2})/g,
    (_, code: string) => `\\${String.fromCharCode(Number.parseInt(code, 16))}`,
  );
}

function referencesIn(node: unknown, found: string[] = []): string[] {
  if (typeof node !== "object" || node === null) return found;
  for (const [key, value] of Object.entries(node)) {
    if (key === "$ref" && typeof value === "string") found.push(value);
    else if (key !== "enum" && key !== "const") referencesIn(value, found);
  }
  return found;
}
