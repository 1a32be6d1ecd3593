import {
  compilerOf,
  nonNullTypesOf,
  type OpenApiDocument,
  schemasBelow,
  type Schema,
  withCompiler,
} from "openapi-document";
import { typeName } from "./lists.ts";

/** How the values of a format are validated and converted. `Value` is the type that handlers receive and return. */
export interface Format<Value = never> {
  /** Returns whether a string or a number is valid. Default: the validation of a known format. */
  check?: (value: never) => boolean;
  /** Converts each valid value of a request. A number arrives as the text that the client sent. Throws for an invalid one. */
  parse?: (text: string) => unknown;
  /** Converts each value of a response. The result is a string, or the digits of a number. Default: the value itself, or its digits for a BigInt. */
  serialize?: (value: Value) => unknown;
}

/** The options that extend the validation of a document. */
export interface Extensions {
  formats: Record<string, Format>;
  keywords: readonly { keyword: string | string[] }[];
  /** How readers return numbers of a converted format: rounded even if a double changes them, or as texts. */
  numbers?: "rounded" | "texts";
}

const extensions = new WeakMap<OpenApiDocument, Extensions>();

/** Returns a copy of a document with extensions. */
export function withExtensions(document: OpenApiDocument, own: Extensions): OpenApiDocument {
  const compile = compilerOf(document);
  const copy = compile === undefined ? { ...document } : withCompiler(document, compile);
  extensions.set(copy, own);
  return copy;
}

export function extensionsOf(document: OpenApiDocument): Extensions | undefined {
  return extensions.get(document);
}

/** Returns a copy of a document whose readers return numbers of converted formats in another way. */
export function withNumbers(document: OpenApiDocument, numbers: "rounded" | "texts"): OpenApiDocument {
  return withExtensions(document, { ...extensions.get(document)!, numbers });
}

/** Throws, naming the option, for a format or a keyword that is misspelled or invalid. */
export function expectExtensions(document: OpenApiDocument, { formats, keywords }: Extensions): void {
  const text = JSON.stringify(document);
  for (const [name, format] of Object.entries(formats)) {
    for (const key of ["check", "parse", "serialize"] as const)
      if (format[key] !== undefined && typeof format[key] !== "function")
        throw new TypeError(`The option formats.${name}.${key} is ${typeName(format[key])}. It has to be a function.`);
    if (!text.includes(`"format":${JSON.stringify(name)}`))
      throw new TypeError(`The option formats has "${name}", but no schema has this format. Correct or remove it.`);
  }
  for (const definition of keywords) {
    if ("async" in definition && definition.async === true)
      throw new TypeError(
        `The option keywords has "${String(definition.keyword)}", which is asynchronous. Make it synchronous.`,
      );
    for (const name of [definition.keyword].flat())
      if (!text.includes(`${JSON.stringify(name)}:`))
        throw new TypeError(`The option keywords has "${name}", but no schema has this keyword. Correct or remove it.`);
  }
}

/** Returns whether a schema, or one below it, has a format that converts numbers of requests. */
export function convertsNumbers(document: OpenApiDocument, schema: Schema | undefined): boolean {
  return schemaHas(document, schema, (format, own) => format.parse !== undefined && isOfNumbers(document, own));
}

function isOfNumbers(document: OpenApiDocument, schema: Schema): boolean {
  const types = nonNullTypesOf(document, schema);
  return types.has("number") || types.has("integer");
}

/** Returns whether a schema, or one below it, has such a format. */
export function schemaHas(
  document: OpenApiDocument,
  schema: Schema | undefined,
  isSought: (format: Format, schema: Schema) => boolean,
): boolean {
  const formats = extensionsOf(document)?.formats;
  if (formats === undefined || typeof schema !== "object") return false;
  for (const [, own] of schemasBelow(document, schema, "")) {
    const name = own["format"] as string;
    if (Object.hasOwn(formats, name) && isSought(formats[name]!, own)) return true;
  }
  return false;
}
