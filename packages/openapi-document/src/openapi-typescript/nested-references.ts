import type { OpenApiDocument, Schema } from "../objects.ts";
import { pointer, pointerKeys } from "../references.ts";
import { forEachKeywordObject } from "./keyword-objects.ts";

/**
 * Gives each schema that is referenced inside another place, such as a response of another operation, a name in
 * `components.schemas`, and changes the references to it in place. openapi-typescript loses these schemas.
 */
export function nameNestedSchemas(document: OpenApiDocument): void {
  const components = (document["components"] ?? {}) as { schemas?: Record<string, Schema> };
  const names = new Map<string, string>();
  const taken = new Set(Object.keys(components.schemas ?? {}));
  forEachKeywordObject(document, (node) => {
    if (typeof node.$ref === "string" && isNestedSchema(node.$ref))
      node.$ref = `#/components/schemas/${componentName(node.$ref)}`;
  });
  if (names.size === 0) return;
  const named = Array.from(names, ([reference, name]) => [name, structuredClone(pointer(document, reference))]);
  document["components"] = { ...components, schemas: { ...components.schemas, ...Object.fromEntries(named) } };

  /** Returns a name made of the keys of a pointer, such as `paths_orders_get_responses_200_content_application_json_schema`. */
  function componentName(reference: string): string {
    const known = names.get(reference);
    if (known !== undefined) return known;
    const words = pointerKeys(reference).join("_").replaceAll(/\W/g, "_");
    const base = words.replaceAll(/_+/g, "_");
    let name = base;
    for (let number = 2; taken.has(name); number++) name = `${base}_${number}`;
    taken.add(name);
    names.set(reference, name);
    return name;
  }
}

/** Whether a reference points at a schema below a component, or outside the components. */
function isNestedSchema(reference: string): boolean {
  if (!reference.startsWith("#/")) return false;
  const keys = pointerKeys(reference);
  return keys[0] === "components" && keys[1] === "schemas" ? keys.length > 3 : keys.includes("schema");
}
