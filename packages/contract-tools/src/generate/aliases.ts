import { isTypeName, type OpenApiDocument, type OperationEntry, operationsOf } from "openapi-document";

/** Names that the file of aliases uses itself. */
const TAKEN = new Set(["components", "operations", "InputOf", "OperationIdsByTag", "OutputOf"]);

/**
 * Returns the tag that an operation belongs to: the first of its tags. Without tags, the first word of its path that is no
 * parameter, such as `events` for `/events/{eventId}`; `General` if there is none.
 */
export function tagOf({ path, operation }: Pick<OperationEntry, "path" | "operation">): string {
  const [tag = ""] = operation.tags ?? [];
  if (/[\p{L}\p{N}]/u.test(tag)) return tag;
  return path.split("/").find((word) => /\p{L}/u.test(word) && !word.includes("{")) ?? "General";
}

/**
 * Returns the text of aliases for each schema and for the input and output of each operation: `Pet` for
 * `components["schemas"]["Pet"]`. Names that are no identifiers, or taken by another alias, have none.
 */
export function aliasesOf(document: OpenApiDocument): string {
  const { schemas = {} } = (document.components ?? {}) as { schemas?: object };
  const entries = operationsOf(document);
  const aliases = new Map<string, string>();
  for (const name of Object.keys(schemas)) add(aliases, name, `components["schemas"][${JSON.stringify(name)}]`);
  for (const { id, operation } of entries) {
    if (!operation.operationId) continue;
    add(aliases, `${typeNameOf(id)}Input`, `InputOf<operations[${JSON.stringify(id)}]>`);
    add(aliases, `${typeNameOf(id)}Output`, `OutputOf<operations[${JSON.stringify(id)}]>`);
  }
  const types = [...aliases.values()].join("\n");
  const importOf = (module: string, ...names: [name: string, use: string][]) => {
    const used = names.filter(([, use]) => types.includes(use)).map(([name]) => name);
    return used.length === 0 ? [] : [`import type { ${used.join(", ")} } from "${module}";`];
  };
  const imports = [
    ...importOf("openapi-document", ["InputOf", "= InputOf<"], ["OutputOf", "= OutputOf<"]),
    ...importOf("./schema.ts", ["components", "= components["], ["operations", "Of<operations["]),
  ];
  const tags = Object.entries(Object.groupBy(entries, tagOf)).map(
    ([tag, tagged = []]) => `  ${JSON.stringify(tag)}: ${tagged.map(({ id }) => JSON.stringify(id)).join(" | ")};`,
  );
  const isSchema = (alias: string) => alias.includes("= components[");
  const groups = [
    imports,
    [...aliases.values()].filter(isSchema),
    [...aliases.values()].filter((alias) => !isSchema(alias)),
    ["/** The operationIds of each tag. */", "export interface OperationIdsByTag {", ...tags, "}"],
  ];
  return `${groups.flatMap((lines) => (lines.length === 0 ? [] : [lines.join("\n")])).join("\n\n")}\n`;
}

function add(aliases: Map<string, string>, name: string, type: string): void {
  if (isTypeName(name) && !TAKEN.has(name) && !aliases.has(name)) aliases.set(name, `export type ${name} = ${type};`);
}

/** Returns the words of an operationId in camel case, with a capital at the beginning. */
function typeNameOf(id: string): string {
  const words = id.split(/[^A-Za-z0-9_$]+/).filter((word) => word !== "");
  return words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join("");
}
