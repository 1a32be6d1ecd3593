import { HOLDS_VALUES, IS_MAP, type OpenApiDocument, pointer } from "openapi-document";

type Node = Record<string, unknown>;

/**
 * Replaces references in examples by their targets, in place. Examples are values, so tools do not follow references in them
 * (OpenAPI 3.1, section 4.8.19). Redocly's bundler does, and adds a component for each target. These components are removed.
 */
export function inlineExamples(document: OpenApiDocument): void {
  const inlined = new Set<string>();

  const walk = (node: unknown, isMap = false): void => {
    if (typeof node !== "object" || node === null) return;
    for (const [key, value] of Object.entries(node)) {
      if (!isMap && (key === "example" || key === "examples")) (node as Node)[key] = valueOf(value, []);
      else if (isMap || !HOLDS_VALUES.has(key)) walk(value, !isMap && IS_MAP.has(key));
    }
  };

  const valueOf = (value: unknown, trail: string[]): unknown => {
    if (typeof value !== "object" || value === null) return value;
    const { $ref } = value as Node;
    if (typeof $ref === "string" && isTarget($ref) && !trail.includes($ref)) {
      inlined.add($ref);
      return valueOf(pointer(document, $ref), [...trail, $ref]);
    }
    if (Array.isArray(value)) return value.map((item) => valueOf(item, trail));
    return Object.fromEntries(Object.entries(value).map(([key, field]) => [key, valueOf(field, trail)]));
  };

  walk(document);
  if (inlined.size === 0) return;
  const { schemas = {} } = (document.components ?? {}) as { schemas?: Node };
  const text = JSON.stringify(document);
  for (const reference of inlined) {
    const name = /^#\/components\/schemas\/((?:components|paths)_.*)$/.exec(reference)?.[1];
    if (name !== undefined && !text.includes(JSON.stringify(reference))) delete schemas[name];
  }
}

/** Whether a reference in an example leads to a value, and not to an Example Object. */
function isTarget(reference: string): boolean {
  return reference.startsWith("#/") && !reference.startsWith("#/components/examples/");
}
