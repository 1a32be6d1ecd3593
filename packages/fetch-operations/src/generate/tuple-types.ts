import { type SchemaObject, type TransformNodeOptions, transformSchemaObject } from "openapi-typescript";
import ts from "typescript";

const { factory, SyntaxKind } = ts;

/** The keywords whose schemas are written in place, as parts of a union, an intersection, an array or a tuple. */
const IN_PLACE = ["oneOf", "anyOf", "allOf", "items", "prefixItems", "unevaluatedItems"];

interface Tuple {
  type?: unknown;
  prefixItems?: SchemaObject[];
  items?: SchemaObject | boolean;
  unevaluatedItems?: SchemaObject | boolean;
  minItems?: number;
  maxItems?: number;
}

/**
 * Returns a function that writes the type of an array with `prefixItems`, and undefined for other schemas. `minItems` requires
 * the first items, and further ones have the type of `items` (JSON Schema 2020-12, section 10.3.1). openapi-typescript takes
 * the array for one of exactly these items.
 */
export function tupleWriter(): (schema: SchemaObject, options: TransformNodeOptions) => ts.TypeNode | undefined {
  const aliases = new Map<string, string>();

  function tupleOf(schema: Tuple, options: TransformNodeOptions, isRecursive: boolean): ts.TypeNode {
    const { prefixItems = [], minItems = 0, maxItems = Infinity, items = schema.unevaluatedItems ?? true } = schema;
    const elements = prefixItems.slice(0, maxItems).map((item, index) => {
      const type = transformSchemaObject(item, options);
      return index < minItems ? type : factory.createOptionalTypeNode(type);
    });
    if (items !== false && maxItems > prefixItems.length) {
      // `compilableTypes` replaces arrays of recursive schemas, and leaves those in parentheses.
      const rest = transformSchemaObject(items as SchemaObject, options);
      const item = isRecursive ? factory.createParenthesizedType(rest) : rest;
      elements.push(factory.createRestTypeNode(factory.createArrayTypeNode(item)));
    }
    return factory.createTupleTypeNode(elements);
  }

  return (schema, options) => {
    const tuple = schema as Tuple;
    if (tuple.type !== "array" || !Array.isArray(tuple.prefixItems)) return undefined;
    if (!leadsToItself(schema, options)) return tupleOf(tuple, options, false);
    // The compiler resolves the elements of a tuple with a name when they are used, so that it can consist of itself.
    const key = JSON.stringify(schema);
    const known = aliases.get(key);
    if (known !== undefined) return factory.createTypeReferenceNode(known);
    const name = `Tuple${aliases.size + 1}`;
    aliases.set(key, name);
    const modifiers = [factory.createModifier(SyntaxKind.ExportKeyword)];
    options.ctx.injectFooter.push(
      factory.createTypeAliasDeclaration(modifiers, name, undefined, tupleOf(tuple, options, true)),
    );
    return factory.createTypeReferenceNode(name);
  };
}

/** Whether a schema leads to one that consists of itself, without an object between. */
function leadsToItself(
  schema: object,
  options: TransformNodeOptions,
  open = new Set<string>(),
  done = new Set<string>(),
): boolean {
  const parts = IN_PLACE.flatMap((keyword) => (schema as Record<string, unknown>)[keyword] ?? []);
  return parts.some((part) => {
    if (typeof part !== "object" || part === null) return false;
    const { $ref } = part as { $ref?: string };
    if ($ref === undefined) return leadsToItself(part, options, open, done);
    if (open.has($ref)) return true;
    if (done.has($ref)) return false;
    open.add($ref);
    const target = options.ctx.resolve<object>($ref);
    const isRecursive = target !== undefined && leadsToItself(target, options, open, done);
    open.delete($ref);
    done.add($ref);
    return isRecursive;
  });
}
