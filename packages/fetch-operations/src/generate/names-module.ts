import { isTypeName, type OpenApiDocument } from "openapi-document";
import { capitalized } from "./code.ts";
import type { Config } from "./config.ts";
import type { ClientOperation } from "./operations.ts";

/** Returns the module with a type for each named schema of the contract, by the names of `typeNames`. */
export function namesModule(types: ReadonlyMap<string, string>): string {
  const lines = Array.from(types, ([name, type]) => {
    return `export type ${type} = components["schemas"][${JSON.stringify(name)}];`;
  });
  if (lines.length === 0) return "export {};\n";
  return ['import type { components } from "./schema.ts";', "", ...lines, ""].join("\n");
}

/** The names that the generated modules export. */
function ownNames({ name }: Config, operations: ClientOperation[]): Set<string> {
  const own =
    "ErrorCode PageItems ByOperation ByPage Raw OperationId Results Result Data Call Items Page WebhookPayloads servers components operations paths".split(
      " ",
    );
  const named = [name, `${name}Error`, `${name}Options`, `create${name}`];
  return new Set([
    ...own,
    ...named,
    ...operations.flatMap(({ typeName }) => [`${typeName}Input`, `${typeName}Result`]),
  ]);
}

/**
 * Returns the name of each named schema's type. A name that is an identifier stays; then the other names get one by the rule of
 * the README, in the contract's order.
 */
export function typeNames(
  { components = {} }: OpenApiDocument,
  config: Config,
  operations: ClientOperation[],
): Map<string, string> {
  const names = Object.keys((components as { schemas?: object }).schemas ?? {});
  const taken = ownNames(config, operations);
  const types = new Map<string, string>();
  const take = (name: string, type: string) => {
    taken.add(type);
    types.set(name, type);
  };
  for (const name of names) if (typeNameOf(name) === name && !taken.has(name)) take(name, name);
  for (const name of names.filter((each) => !types.has(each))) {
    const own = typeNameOf(name);
    let type = own;
    for (let number = 1; taken.has(type); number++) type = `${own}Schema${number === 1 ? "" : number}`;
    take(name, type);
  }
  return new Map(names.map((name) => [name, types.get(name)!]));
}

/** Returns a schema's name as that of a type: its words in camel case, where letters, digits, `_` and `$` make words. */
export function typeNameOf(name: string): string {
  const [first = "", ...others] = name.split(/[^\p{ID_Continue}$]+/u).filter(Boolean);
  const type = [first, ...others.map(capitalized)].join("") || "Schema";
  if (!/^[\p{ID_Start}_$]/u.test(type)) return `_${type}`;
  return /^[\w$]+$/.test(type) && !isTypeName(type) ? `${type}_` : type;
}
