import { type OpenApiDocument, type ParameterObject, resolve, type Schema, nonNullTypesOf } from "openapi-document";
import { nameList } from "../lists.ts";
import type { Problem } from "../problem.ts";
import { MAX_DEPTH } from "./json.ts";
import { fieldsOf, isJsonContent, kindOf, styleOf, textReader } from "./style.ts";
import { type Sent, typedBy } from "./typed.ts";

/** A name, decoded, and its value as sent. */
export type Pair = readonly [name: string, raw: string];

/** The content of a query or a form. */
export interface ReadPairs {
  /** The typed values of the declared names. */
  values: Record<string, unknown>;
  /** Undeclared names that are allowed, and their texts. */
  others: object;
}

/** How a query or a form is read. */
export interface PairsOptions {
  decode: (raw: string) => string;
  /** Creates the error for a value that cannot be read. `fault` is the predicate of its message. */
  unreadable: (name: string, fault: string, isDeclared: boolean) => Problem;
  /** Declared names that are skipped. */
  ignored?: string[];
  allowsAnyName: boolean;
  /** Whether undeclared names are dropped. */
  ignoresOthers?: boolean;
  /** Whether an empty text is a value. A query rejects it, unless the parameter has `allowEmptyValue`. */
  isForm?: boolean;
  /** The schema of the whole, which types the undeclared names. */
  schema?: Schema | undefined;
}

/** A declared name. */
interface Field {
  name: string;
  isRequired: boolean;
  /** Whether each field of the object is a pair of its own. */
  isExploded: boolean;
  brackets: "items" | "fields" | "both" | "none";
  /** The value of an empty text, `REJECTED` if an empty text is rejected. Undefined counts as absent. */
  emptyValue: unknown;
  readText: (raw: string) => unknown;
  /** Returns the value of several texts, or of a text in brackets. */
  readParts: (parts: Sent) => unknown;
  /** Whether a text is divided into items. Each item is otherwise a pair of its own. */
  isDelimited: boolean;
}

/** The pairs of one field. */
interface Received {
  texts: string[];
  /** Whether a name ended in `[]`, so that even one text is a list. */
  isList: boolean;
  assembly: Assembly | undefined;
}

/** Fields in brackets during assembly, by name. */
type Assembly = Map<string, Assembly | Leaf>;

/** The texts of one name in brackets. */
interface Leaf {
  texts: string[];
  isList: boolean;
}

const REJECTED = Symbol("rejected");

/**
 * Returns the reader of a query or a form. Each declared name is a parameter in the style `form`, `spaceDelimited`,
 * `pipeDelimited` or `deepObject` (OpenAPI 3.1, "Style Values"). In brackets, objects and lists may be nested. The reader
 * rejects unknown names before any further parsing. Its time is linear in the length of the pairs.
 */
export function pairsReader(
  document: OpenApiDocument,
  parameters: ParameterObject[],
  { decode, unreadable: problemOf, ignored = [], allowsAnyName, ignoresOthers, isForm = false, schema }: PairsOptions,
): (pairs: Pair[]) => ReadPairs {
  const fields = parameters.map((parameter) => fieldFor(document, parameter, decode));
  const { targets, anyName } = targetsOf(document, parameters, fields);
  const typedOthers = typedBy(document, schema);
  const skipped = new Set(ignored.filter((name) => !targets.has(name)));

  const unreadable = (name: string, fault: string): Problem => problemOf(name, fault, targets.has(name));

  const conflict = (name: string): Problem => unreadable(name, "is given both as a whole and in parts. Give it once");

  const insert = (assembly: Assembly, root: string, path: string[], raw: string): void => {
    if (path.length > MAX_DEPTH) throw unreadable(root, `nests deeper than the ${MAX_DEPTH} levels allowed`);
    const isList = path.length > 1 && path.at(-1) === "";
    const names = isList ? path.slice(0, -1) : path;
    let node = assembly;
    for (const name of names.slice(0, -1)) {
      const child = node.get(name) ?? new Map<string, Assembly | Leaf>();
      if (!(child instanceof Map)) throw conflict(root);
      node.set(name, child);
      node = child;
    }
    const last = names.at(-1)!;
    const leaf = node.get(last) ?? { texts: [], isList };
    if (leaf instanceof Map || leaf.isList !== isList) throw conflict(root);
    leaf.texts.push(decode(raw));
    node.set(last, leaf);
  };

  const nameProblem = (name: string): Problem => {
    const [root = ""] = name.split("[", 1);
    const known = [...targets.keys(), ...skipped];
    const brackets =
      targets.get(root)?.field.brackets ?? (allowsAnyName || anyName !== undefined ? "fields" : undefined);
    const fault =
      brackets === undefined
        ? `is not known. ${known.length > 0 ? `The ${isForm ? "fields" : "parameters"} are: ${nameList(known)}` : "This operation takes none"}`
        : `does not take these brackets. Write ${ADVICE[brackets]}`;
    return unreadable(brackets === undefined ? name : root, fault);
  };

  const valueOf = (field: Field, { texts, isList, assembly }: Received): unknown => {
    if (assembly !== undefined) {
      if (texts.length > 0) throw conflict(field.name);
      return field.readParts(sentOf(assembly));
    }
    const [first] = texts as [string];
    if (first === "" && texts.length === 1 && !isForm) {
      if (field.emptyValue === REJECTED) throw unreadable(field.name, "is empty. Give it a value, or leave it out");
      return field.emptyValue;
    }
    if (texts.length === 1 && !isList) return field.readText(first);
    return field.isDelimited ? texts.flatMap(field.readText) : field.readParts(texts.map(decode));
  };

  const typedValue = (field: Field, received: Received | undefined): unknown => {
    if (received === undefined) return field.isExploded && field.isRequired ? {} : undefined;
    try {
      return valueOf(field, received);
    } catch (error) {
      throw error instanceof SyntaxError ? unreadable(field.name, error.message) : error;
    }
  };

  return (pairs) => {
    const received = new Map<Field, Received>();
    const others: Assembly = new Map();
    const receivedFor = (field: Field): Received => {
      const own = received.get(field) ?? { texts: [], isList: false, assembly: undefined };
      received.set(field, own);
      return own;
    };
    const insertInto = (field: Field, path: string[], raw: string): void =>
      insert((receivedFor(field).assembly ??= new Map()), field.name, path, raw);

    for (const [name, raw] of pairs) {
      const target = targets.get(name);
      if (target !== undefined) {
        if (target.key === undefined) receivedFor(target.field).texts.push(raw);
        else insertInto(target.field, [target.key], raw);
        continue;
      }
      if (skipped.has(name)) continue;
      const [root, ...path] = segmentsOf(name);
      const holder = path.length > 0 ? targets.get(root) : undefined;
      if (holder === undefined) {
        if (ignoresOthers === true && !allowsAnyName && anyName === undefined) continue;
        if (path.length === 0 && name.includes("[") && !isForm) throw nameProblem(name);
        if (anyName !== undefined) insertInto(anyName, [root, ...path], raw);
        else if (allowsAnyName) insert(others, root, [root, ...path], raw);
        else throw nameProblem(name);
      } else if (holder.key !== undefined) insertInto(holder.field, [holder.key, ...path], raw);
      else if (!takesBrackets(holder.field, path)) throw nameProblem(name);
      else if (path.length === 1 && path[0] === "") {
        const own = receivedFor(holder.field);
        own.texts.push(raw);
        own.isList = true;
      } else insertInto(holder.field, path, raw);
    }

    const values: Record<string, unknown> = {};
    for (const field of fields) {
      const value = typedValue(field, received.get(field));
      if (value !== undefined) values[field.name] = value;
    }
    return { values, others: others.size === 0 ? NONE : (typedOthers(sentOf(others)) as object) };
  };
}

const NONE: object = {};

const ADVICE = {
  fields: "each of its fields as parameter[field]=value",
  both: "each of its fields as parameter[field]=value",
  items: "its name once for each item, alone or with empty brackets",
  none: "its name alone",
};

function fieldFor(document: OpenApiDocument, parameter: ParameterObject, decode: PairsOptions["decode"]): Field {
  const { name, schema, content, required = false, allowEmptyValue = false } = parameter;
  const types = nonNullTypesOf(document, schema);
  const { explode } = styleOf(parameter);
  const kind = kindOf(document, schema);
  const isDelimited = content === undefined && kind !== "scalar" && !explode;
  const typed = typedBy(document, schema);
  return {
    name,
    isRequired: required,
    isExploded: isExplodedObject(document, parameter),
    brackets: bracketsOf(types, content),
    emptyValue: allowEmptyValue ? emptyValueOf(types) : REJECTED,
    readText:
      isDelimited || content !== undefined ? textReader(document, parameter, decode) : (raw) => typed(decode(raw)),
    readParts: content !== undefined && isJsonContent(content) ? (parts) => parts : typed,
    isDelimited,
  };
}

function emptyValueOf(types: Set<string>): unknown {
  if (types.size === 0 || types.has("string")) return "";
  return types.has("boolean") ? true : undefined;
}

function bracketsOf(types: Set<string>, content: ParameterObject["content"]): Field["brackets"] {
  if (content !== undefined) return "none";
  const hasFields = types.size === 0 || types.has("object");
  const hasItems = types.size === 0 || types.has("array");
  if (hasFields) return hasItems ? "both" : "fields";
  return hasItems ? "items" : "none";
}

function takesBrackets({ brackets }: Field, [first]: string[]): boolean {
  if (brackets === "items") return /^\d*$/.test(first!);
  return brackets === "both" || (brackets === "fields" && first !== "");
}

/** A declared name: the field, and the name within it if the field is an exploded object. */
interface Target {
  field: Field;
  key?: string;
}

/** Returns the declared names, and the exploded object that takes undeclared ones. */
function targetsOf(document: OpenApiDocument, parameters: ParameterObject[], fields: Field[]) {
  const targets = new Map<string, Target>(fields.map((field) => [field.name, { field }]));
  let anyName: Field | undefined;
  for (const [at, field] of fields.entries()) {
    if (!field.isExploded) continue;
    const { schema } = parameters[at]!;
    for (const key of fieldsOf(document, schema))
      if (key === field.name || !targets.has(key)) targets.set(key, { field, key });
    if (hasAdditionalProperties(document, schema)) anyName ??= field;
  }
  return { targets, anyName };
}

/**
 * Returns whether each field of a parameter is a query parameter of its own. This holds for exploded objects in the
 * style `form`.
 */
export function isExplodedObject(document: OpenApiDocument, parameter: ParameterObject): boolean {
  const { style, explode } = styleOf(parameter);
  const { in: location, content, schema } = parameter;
  const mayExplode = location === "query" && content === undefined && style === "form" && explode;
  return mayExplode && kindOf(document, schema) === "object";
}

function hasAdditionalProperties(document: OpenApiDocument, node: Schema = {}): boolean {
  const { type, additionalProperties = false } = resolve<Schema>(document, node);
  return type === "object" && additionalProperties !== false;
}

/** Splits `filter[size][min]` into `filter`, `size`, `min`. A name with malformed brackets stays whole. */
function segmentsOf(name: string): [root: string, ...path: string[]] {
  const open = name.indexOf("[");
  if (open <= 0 || !name.endsWith("]")) return [name];
  const path = name.slice(open + 1, -1).split("][");
  const isWellFormed = path.every(
    (segment, at) => !/[[\]]/.test(segment) && (segment !== "" || at === path.length - 1),
  );
  return isWellFormed ? [name.slice(0, open), ...path] : [name];
}

function sentOf(assembly: Assembly): Record<string, Sent> {
  return Object.fromEntries(
    Array.from(assembly, ([name, node]) => {
      if (node instanceof Map) return [name, sentOf(node)];
      return [name, node.isList || node.texts.length > 1 ? node.texts : node.texts[0]!];
    }),
  );
}
