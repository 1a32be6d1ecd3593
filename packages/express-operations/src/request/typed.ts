import { type OpenApiDocument, type Schema, type Declaration, itemAt, shapesOf, unnamedField } from "openapi-document";
import { jsonOf } from "./json.ts";
import { scalarOf, type ScalarTypes, scalarTypesOf } from "./values.ts";

/** A value as sent, decoded but without its type: a text, a list, or fields. */
export type Sent = string | Sent[] | { [name: string]: Sent };

/**
 * Returns the JSON value that a sent value represents. A value that represents no declared type stays as sent, so that
 * its schema rejects it. A text is divided by `divide`, if given, unless it is JSON. Throws a SyntaxError for JSON that
 * parsing would change.
 */
export type Typed = (sent: Sent, divide?: () => Sent) => unknown;

/**
 * Returns the conversion for a schema. A text becomes a number or a boolean where its schema allows one. Where the
 * schema allows strings as well, only the text that the number itself has becomes a number, so that `007` stays a
 * string. A text that an `enum` lists stays a string. A text that can only be a list is its only item. A text that can only be an object, or a list of anything but
 * strings, may be JSON.
 */
export function typedBy(document: OpenApiDocument, schema: Schema | undefined): Typed {
  const root: Declaration = { schemas: typeof schema === "object" ? [schema] : [] };
  const shapeFor = shapesOf(document);
  const cached = new WeakMap<Declaration, ScalarTypes>();

  const scalarsOf = (declaration: Declaration): ScalarTypes => {
    let scalars = cached.get(declaration);
    if (scalars === undefined) {
      scalars = scalarTypesOf(document, declaration.schemas);
      cached.set(declaration, scalars);
    }
    return scalars;
  };

  const typesOf = (declaration: Declaration): Set<string> => scalarsOf(declaration).types;

  const typed = (sent: Sent, declaration: Declaration): unknown => {
    const types = typesOf(declaration);
    if (typeof sent === "string") return typedText(sent, types, declaration);
    if (Array.isArray(sent) || isIndexed(sent, types)) {
      if (types.size > 0 && !types.has("array")) return sent;
      const shape = shapeFor(declaration);
      return Object.values(sent).map((item, at) => typed(item, itemAt(shape, at)));
    }
    if (types.size > 0 && !types.has("object")) return sent;
    const shape = shapeFor(declaration);
    return Object.fromEntries(
      Object.entries(sent).map(([name, value]) => [
        name,
        typed(value, shape.fields.get(name) ?? unnamedField(shape, name) ?? UNDECLARED),
      ]),
    );
  };

  const typedText = (text: string, types: Set<string>, declaration: Declaration, isOnlyItem = false): unknown => {
    if (types.has("string")) return scalarsOf(declaration).texts.has(text) ? text : scalarOf(text, types);
    const value = jsonFor(text, types, declaration);
    if (value !== undefined) return value;
    const scalar = scalarOf(text, types);
    if (scalar !== text || isOnlyItem || !types.has("array")) return scalar; // lists of lists may be recursive
    const item = itemAt(shapeFor(declaration), 0);
    return [typedText(text, typesOf(item), item, true)];
  };

  const jsonFor = (text: string, types: Set<string>, declaration: Declaration): unknown => {
    const mayBeObject = types.has("object") && text.startsWith("{");
    const mayBeList = types.has("array") && text.startsWith("[") && !mayBeText(typesOf(shapeFor(declaration).items));
    return mayBeObject || mayBeList ? jsonOf(text) : undefined;
  };

  return (sent, divide) => {
    if (divide === undefined) return typed(sent, root);
    return jsonFor(sent as string, typesOf(root), root) ?? typed(divide(), root);
  };
}

function mayBeText(types: Set<string>): boolean {
  return types.size === 0 || types.has("string");
}

const UNDECLARED: Declaration = { schemas: [] };

/** Returns whether the names of an object are 0, 1, 2, … and its schema allows no other object. */
function isIndexed(sent: { [name: string]: Sent }, types: Set<string>): boolean {
  return !types.has("object") && Object.keys(sent).every((name, at) => name === String(at));
}
