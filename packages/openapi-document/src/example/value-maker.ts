import { ASSERTIONS_BY_TYPE } from "../keywords.ts";
import type { OpenApiDocument, Schema } from "../objects.ts";
import { escapeKey } from "../references.ts";
import { effectiveSchema, isRecord, mergedSchema, partsOf, propertiesOf, typesOf } from "../schema/effective-schema.ts";
import { branches, choicesIn, withDiscriminator } from "./choices.ts";
import { fieldSchema, hasOthers, isAllowed, listOf, withDependents } from "./field-schemas.ts";
import { givenValues, listedValues } from "./given-values.ts";
import { drawnNumber, exampleNumber, exampleText, type TextMatching } from "./scalar-values.ts";

/** How values are made. */
export interface ValueOptions {
  /** Whether values are of responses: with optional fields, `readOnly` ones and an item in each list, without `writeOnly` fields. */
  isResponse?: boolean;
  /** Returns numbers from 0 to below 1. Values are drawn by them, in place of examples. */
  random?: (() => number) | undefined;
  /** The fields that the value has. It gets the others that are required, and those that only the service can set. */
  given?: object | undefined;
  /** Finds texts for patterns. Default: none is found. */
  textMatching?: TextMatching;
}

/** A value of a schema is needed, but the document has no example and none was found. */
export class NoExampleError extends Error {
  override name = "NoExampleError";
  /** The JSON pointer of the value. */
  readonly at: string;

  constructor(where: string, at = "") {
    super(`The document gives no example for ${where}${at === "" ? "" : ` at ${at}`}: add one.`);
    this.at = at;
  }
}

/** A made value has at most this many values in it; a long text counts as several. */
const MAX_VALUES = 10_000;
/** A value with this many values in it gets only what is required from then on. */
const MANY_VALUES = 2_000;
/** Optional fields are nested at most this deep. */
const MAX_DEPTH = 8;
/** Required fields are nested at most this deep. */
const MAX_REQUIRED_DEPTH = 50;
/** Other values are tried at one place, before the place is left out or the value around it changes. */
const MAX_VARIATIONS = 64;
/** How often an item is drawn that a list has already. */
const MAX_DRAWS = 8;
const CHARACTERS_OF_VALUE = 200;
/** Once this many schemas have chosen at one place, no choice follows from another one. */
const MAX_CHOICES = 100;
/** The time in milliseconds after which a value is given up. */
const MAX_TIME = 2_000;

/** A place in the value: its JSON pointer, and the number of values around it. */
interface Place {
  at: string;
  depth: number;
}

/**
 * Makes values of schemas from their examples, defaults and listed values, or else from types and bounds. It follows the
 * keywords of JSON Schema as far as that needs no validation; `vary` gives the next value where validation finds a fault.
 */
export class ValueMaker {
  readonly #document: OpenApiDocument;
  readonly #where: string;
  readonly #isResponse: boolean;
  readonly #random: (() => number) | undefined;
  readonly #given: object | undefined;
  readonly #textMatching: TextMatching;
  readonly #variations = new Map<string, number>();
  readonly #leftOut = new Set<string>();
  /** The places of the last value, and whether the value can be left out there. */
  readonly #places = new Map<string, { isOptional: boolean }>();
  /** The schemas of the values around the one that is made. */
  readonly #trail = new Map<Schema, number>();
  #count = 0;
  #end = 0;

  constructor(document: OpenApiDocument, where: string, options: ValueOptions = {}) {
    const { isResponse = false, random, given, textMatching = () => undefined } = options;
    this.#document = document;
    this.#where = where;
    this.#isResponse = isResponse;
    this.#random = random;
    this.#given = given;
    this.#textMatching = textMatching;
  }

  /** Returns a value. Throws if the schema allows none, as far as it can be read, or only one that is too large or too slow. */
  make(node: Schema): unknown {
    this.#count = 0;
    this.#end = performance.now() + MAX_TIME;
    this.#places.clear();
    this.#trail.clear();
    return this.#at(node, { at: "", depth: 0 });
  }

  /** Makes `make` return another value at a JSON pointer, or around it. Returns false if all were tried. */
  vary(invalid: string): boolean {
    let at = invalid;
    while (at !== "" && !this.#places.has(at)) at = at.slice(0, at.lastIndexOf("/"));
    const variation = (this.#variations.get(at) ?? 0) + 1;
    this.#variations.set(at, variation);
    if (variation < MAX_VARIATIONS) return true;
    for (const place of this.#variations.keys()) if (place.startsWith(`${at}/`)) this.#variations.delete(place);
    if (at === "") return false;
    this.#variations.delete(at);
    if (this.#places.get(at)?.isOptional !== true) return this.vary(at.slice(0, at.lastIndexOf("/")));
    this.#leftOut.add(at);
    return true;
  }

  /** Makes the value of a new place. */
  #at(node: Schema, place: Place, { isOptional = false, more = 0 } = {}): unknown {
    if (++this.#count > MAX_VALUES)
      throw new Error(`A value of ${this.#where} needs more than ${MAX_VALUES} values. Give an example of it.`);
    if (place.depth > MAX_REQUIRED_DEPTH) throw new NoExampleError(this.#where, place.at);
    this.#places.set(place.at, { isOptional });
    return this.#make(node, place, (this.#variations.get(place.at) ?? 0) + more);
  }

  /** Makes a value. `decided` are the schemas at this place whose choices were made. */
  #make(given: Schema, place: Place, variation: number, decided: ReadonlySet<Schema> = new Set()): unknown {
    if (performance.now() > this.#end)
      throw new Error(`A value of ${this.#where} takes more than ${MAX_TIME / 1000} s. Give an example of it.`);
    const node = withDiscriminator(this.#document, given);
    const parts = partsOf(this.#document, node);
    const schema = mergedSchema(parts);
    if (isImpossible(schema)) throw new NoExampleError(this.#where, place.at);
    const listed = listedValues(schema);
    const values = this.#isDrawn(place) ? (listed ?? []) : givenValues(this.#document, schema);
    if (listed !== undefined && values.length === 0) throw new NoExampleError(this.#where, place.at);
    if (listed !== undefined || variation < values.length) {
      const value = values[this.#drawn(variation, values.length) % values.length];
      return isRecord(value) ? this.#object(schema, parts, place, { given: value, variation: 0 }) : value;
    }
    for (const part of parts) this.#trail.set(part, (this.#trail.get(part) ?? 0) + 1);
    try {
      return this.#makeChosen(schema, parts, place, variation - values.length, decided);
    } finally {
      for (const part of parts) this.#trail.set(part, this.#trail.get(part)! - 1);
    }
  }

  /** Whether examples are not used: the value is drawn, or has given fields. */
  #isDrawn({ at }: Place): boolean {
    return this.#random !== undefined || (at === "" && this.#given !== undefined);
  }

  /** Takes one of each choice, and makes a value of the result. The digits of a variation count through the choices. */
  #makeChosen(schema: Schema, parts: Schema[], place: Place, variation: number, decided: ReadonlySet<Schema>): unknown {
    // A choice may lead back to its own schema, as that of a parent does through the `allOf` of a child.
    const open = parts.filter((part) => !decided.has(part));
    const choices = open.flatMap((part) =>
      choicesIn(this.#document, part, schema, (member) => this.#isCircular(member)),
    );
    const conditions = open.filter((part) => part["if"] !== undefined);
    if (choices.length === 0 && conditions.length === 0) return this.#makeTyped(schema, parts, place, variation);
    let rest = this.#drawn(variation, 2 ** 20);
    const take = (count: number): number => {
      const digit = rest % count;
      rest = Math.floor(rest / count);
      return digit;
    };
    const chosen = choices.map((choice) => choice[take(choice.length)]!);
    const { length } = conditions;
    const applied = length === 0 ? [] : branches(conditions, take(length + 1 + 2 ** Math.min(length, 8)));
    const plain = parts.map((part) =>
      Object.fromEntries(Object.entries(part).filter(([keyword]) => !CHOSEN.has(keyword))),
    );
    const left = this.#random === undefined ? rest : variation;
    if (decided.size >= MAX_CHOICES) throw new NoExampleError(this.#where, place.at);
    const all = new Set([...decided, ...open.filter((part) => CHOICES.some((keyword) => keyword in part))]);
    return this.#make({ allOf: [...plain, ...chosen, ...applied] }, place, left, all);
  }

  /** Returns a variation, or a number drawn from 0 to below `count` if nothing was found invalid yet. */
  #drawn(variation: number, count: number): number {
    return this.#random === undefined || variation > 0 ? variation : Math.floor(this.#random() * count);
  }

  #makeTyped(schema: Schema, parts: Schema[], { at, depth }: Place, variation: number): unknown {
    if (at === "" && this.#given !== undefined)
      return this.#object(schema, parts, { at, depth }, { given: this.#given, variation });
    const types = typesOf(schema).toSorted((one, other) => Number(one === "null") - Number(other === "null"));
    if (types.length === 0)
      types.push(...new Set([impliedType(schema), "string", "integer", "boolean", "object", "array", "null"]));
    const type = types[variation % types.length]!;
    const rest = Math.floor(variation / types.length);
    const drawn = this.#random !== undefined && variation === 0;
    const made = {
      null: () => null,
      boolean: () => (drawn ? this.#random() < 0.5 : rest % 2 === 0),
      integer: () => this.#number({ ...schema, type }, rest, drawn),
      number: () => this.#number({ ...schema, type }, rest, drawn),
      string: () => this.#text(schema, rest, drawn),
      array: () => this.#array(schema, parts, { at, depth }, rest),
      object: () => this.#object(schema, parts, { at, depth }, { variation: rest }),
    }[type as "string"]();
    if (made === undefined) throw new NoExampleError(this.#where, at);
    if (typeof made === "string") this.#count += Math.floor(made.length / CHARACTERS_OF_VALUE);
    return made;
  }

  #number(schema: Schema, variation: number, isDrawn: boolean): number | undefined {
    return (isDrawn ? drawnNumber(schema, this.#random!) : undefined) ?? exampleNumber(schema, variation);
  }

  #text(schema: Schema, variation: number, isDrawn: boolean): string | undefined {
    if (!isDrawn) return exampleText(schema, this.#textMatching, variation, this.#isResponse ? "x" : "");
    const word = () => WORDS[this.#drawn(0, WORDS.length)]!;
    const number = this.#drawn(0, 2 ** 31);
    const isPlain = schema["pattern"] === undefined && schema["format"] === undefined;
    const words = `${word()} ${word()}`.slice(0, Math.min(Number(schema["maxLength"] ?? Infinity), 100));
    return (
      exampleText(schema, this.#textMatching, isPlain ? 0 : number, words) ?? exampleText(schema, this.#textMatching)
    );
  }

  /** Whether only what is required is made here. */
  #isLeast(depth: number): boolean {
    return !this.#isResponse || depth >= MAX_DEPTH || this.#count > MANY_VALUES;
  }

  #array(schema: Schema, parts: Schema[], { at, depth }: Place, variation: number): unknown[] {
    const prefix = listOf(schema["prefixItems"]);
    const rest = schema.items ?? (schema["unevaluatedItems"] as Schema | undefined) ?? {};
    const contained = parts.flatMap(({ contains, minContains = 1 }) =>
      contains === undefined ? [] : Array<Schema>(Math.min(Number(minContains), MAX_VALUES)).fill(contains as Schema),
    );
    const isClosed = (rest as unknown) === false;
    const most = Math.min(Number(schema["maxItems"] ?? Infinity), isClosed ? prefix.length : Infinity);
    const minimum = Number(schema["minItems"] ?? 0);
    if (minimum > MAX_VALUES || minimum > most) throw new NoExampleError(this.#where, at);
    const isShort = this.#isLeast(depth) || variation % 3 === 1 || this.#isCircular(rest);
    const more = () => (this.#random === undefined ? Number(variation % 3 === 2) : this.#drawn(0, 3));
    const usual = isShort ? 0 : Math.max(prefix.length, 1 + more());
    const least = Math.max(minimum, Math.min(prefix.length, minimum) + contained.length);
    const count = Math.min(most, Math.max(least, usual));
    const isUnique = schema["uniqueItems"] === true;
    const seen = new Set<string>();
    return Array.from({ length: count }, (_, index) => {
      const contains = contained[index - (count - contained.length)];
      const node = contains === undefined ? (prefix[index] ?? rest) : { allOf: [prefix[index] ?? rest, contains] };
      const place = { at: `${at}/${index}`, depth: depth + 1 };
      return this.#item(node, place, Math.floor(variation / 3), isUnique ? seen : undefined);
    });
  }

  /** Makes an item; one that differs from those seen if the items are unique. */
  #item(node: Schema, place: Place, from: number, seen: Set<string> | undefined): unknown {
    if (seen === undefined) return this.#at(node, place, { more: from });
    for (let tries = 0; tries <= MAX_VARIATIONS; tries++) {
      const isDrawn = this.#random !== undefined && tries < MAX_DRAWS;
      const item = this.#at(node, place, { more: isDrawn ? 0 : from + seen.size + tries });
      const text = JSON.stringify(item);
      if (!seen.has(text)) {
        seen.add(text);
        return item;
      }
    }
    throw new NoExampleError(this.#where, place.at.slice(0, place.at.lastIndexOf("/")));
  }

  #object(
    schema: Schema,
    parts: Schema[],
    place: Place,
    { given = NONE, variation }: { given?: object; variation: number },
  ): object {
    const { at, depth } = place;
    const isLeast = given !== NONE || this.#isLeast(depth) || variation % 2 === 1;
    const names = this.#namesOf(schema, parts, place, { given, isLeast, variation });
    const made: [string, unknown][] = [];
    const required = new Set([schema["required"] ?? []].flat());
    for (const name of names) {
      const isOptional = !required.has(name);
      const child = { at: `${at}/${escapeKey(name)}`, depth: depth + 1 };
      if (this.#leftOut.has(child.at) && isOptional) continue;
      try {
        const value = this.#at(fieldSchema(parts, name), child, { isOptional, more: Math.floor(variation / 2) });
        made.push([name, value]);
      } catch (error) {
        if (!(isOptional && this.#isResponse && error instanceof NoExampleError)) throw error;
      }
    }
    return { ...given, ...Object.fromEntries(made) };
  }

  /** Returns the names of the fields that an object gets beside the given ones. */
  #namesOf(
    schema: Schema,
    parts: Schema[],
    place: Place,
    { given, isLeast, variation }: { given: object; isLeast: boolean; variation: number },
  ): string[] {
    const fields = propertiesOf(schema);
    const isMissing = (name: string) => !Object.hasOwn(given, name);
    const isOwn = (name: string) => isMissing(name) && !this.#isOther(fields, name);
    const needed = [schema["required"] ?? []].flat() as string[];
    const required = withDependents(parts, [...needed, ...Object.keys(given)]).filter(isOwn);
    const isOptional = (name: string) => isOwn(name) && !required.includes(name) && isAllowed(parts, name);
    const optional = Object.keys(fields).filter(isOptional);
    const least = Number(schema["minProperties"] ?? 0) - Object.keys(given).length;
    const most = Number(schema["maxProperties"] ?? Infinity) - Object.keys(given).length;
    const usual = optional.filter((name) =>
      isLeast ? this.#isSetByService(place, fields[name]!) : !this.#isCircular(fields[name]!),
    );
    const others = optional.filter((name) => !usual.includes(name));
    const more = others.slice(0, Math.max(0, least - required.length - usual.length));
    const named = withDependents(parts, [...required, ...usual, ...more]).filter(isMissing); // the required ones first
    const names = named.slice(0, Math.max(required.length, most));
    const isMap = !isLeast && names.length === 0 && Object.keys(fields).length === 0 && hasOthers(schema);
    const lacking = Math.min(most, Math.max(least, isMap ? 1 : 0)) - names.length;
    return lacking > 0 ? [...names, ...this.#unnamed(schema, place, lacking, variation)] : names;
  }

  /** Returns names for fields that the schema does not name. */
  #unnamed(schema: Schema, { at, depth }: Place, count: number, variation: number): string[] {
    const [pattern] = Object.keys(schema["patternProperties"] ?? {});
    const isClosed = schema["additionalProperties"] === false || schema["unevaluatedProperties"] === false;
    if (count > MAX_VALUES || (isClosed && pattern === undefined)) throw new NoExampleError(this.#where, at);
    const { propertyNames } = schema as { propertyNames?: Schema };
    const seen = new Set(Object.keys(propertiesOf(schema)).map((name) => JSON.stringify(name)));
    return Array.from({ length: count }, (_, index) => {
      if (propertyNames === undefined && !isClosed) return `x${index}`;
      if (propertyNames === undefined) return this.#textMatching(pattern!, 1, Infinity, index) ?? `x${index}`;
      const name = { allOf: [propertyNames, { type: "string", ...(isClosed && { pattern }) }] };
      return String(this.#item(name, { at: `${at}/`, depth: depth + 1 }, Math.floor(variation / 2), seen));
    });
  }

  /** Whether a field belongs to requests alone or to responses alone, and the value is of the other kind. */
  #isOther(fields: Record<string, Schema>, name: string): boolean {
    const field = Object.hasOwn(fields, name) ? effectiveSchema(this.#document, fields[name]) : {};
    return field[this.#isResponse ? "writeOnly" : "readOnly"] === true;
  }

  /** Whether a service sets a field of an item that a client has created. */
  #isSetByService({ at }: Place, field: Schema): boolean {
    if (at !== "" || this.#given === undefined) return false;
    const { readOnly, default: byDefault } = effectiveSchema(this.#document, field);
    return readOnly === true || byDefault !== undefined;
  }

  /** Whether a schema describes a value around the one that is made. */
  #isCircular(node: Schema): boolean {
    return partsOf(this.#document, node).some((part) => (this.#trail.get(part) ?? 0) > 0);
  }
}

/** The fields of an object that has none yet. */
const NONE = {};

const WORDS =
  "amber birch cedar dune ember fern grove harbour iris juniper kelp lotus maple north opal pine quartz reed sage tide".split(
    " ",
  );

const CHOICES = ["oneOf", "anyOf", "if", "dependentSchemas"];

/** The keywords of choices, and those of the whole, whose values were tried before. */
const CHOSEN = new Set([...CHOICES, ..."$ref allOf then else example examples default discriminator".split(" ")]);

function impliedType(schema: Schema): string {
  const isAsserted = (type: string) => ASSERTIONS_BY_TYPE[type]!.some((keyword) => keyword in schema);
  const type = Object.keys(ASSERTIONS_BY_TYPE).find(isAsserted) ?? "string";
  return type === "number" ? "integer" : type;
}

/** Whether a schema forbids every value: `false`, or types that exclude each other. */
function isImpossible({ not, type }: Schema): boolean {
  return not === true || (isRecord(not) && Object.keys(not).length === 0) || type?.length === 0;
}
