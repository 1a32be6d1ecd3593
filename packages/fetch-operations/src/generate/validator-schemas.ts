import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { compilePattern, conjuncts, isVersion32, type OpenApiDocument, type Schema, typeOf } from "openapi-document";
import { forEachKeywordObject } from "openapi-document/openapi-typescript";
import { capitalized } from "./code.ts";
import { type Config, ConfigError } from "./config.ts";
import { convertedType, describedValues } from "./described-values.ts";

/**
 * Returns the module that @hey-api/openapi-ts writes, with a schema of Zod or Valibot for each named schema of the contract: `zPet`
 * or `vPet` for the type `Pet`. It describes the values of the client, which may be files, dates and bigints.
 */
export async function validatorModule(
  document: OpenApiDocument,
  types: ReadonlyMap<string, string>,
  library: "zod" | "valibot",
  config: Config,
): Promise<string> {
  if (types.size === 0) return "export {};\n";
  const { createClient } = await import("@hey-api/openapi-ts").catch((cause: unknown) => {
    const message = `The feature ${library} needs @hey-api/openapi-ts: npm install --save-dev @hey-api/openapi-ts`;
    throw new ConfigError(message, { cause });
  });
  // The generator would lose it, because it keeps schemas in plain objects.
  if (types.has("__proto__"))
    throw new ConfigError(`The feature ${library} cannot have a schema with the name __proto__. Rename the schema.`);
  const classOf = (schema: unknown) => convertedType(schema as Schema, config);
  const only = {
    definitions: {
      case: "preserve",
      name: (name: string) => `${library.charAt(0)}${capitalized(types.get(name) ?? name)}`,
    },
    requests: false,
    responses: false,
  } as const;
  const folder = await mkdtemp(join(tmpdir(), "fetch-operations-"));
  try {
    await createClient({
      configFile: join(folder, "none.ts"), // a configuration in the current folder is that of another client
      input: inputOf(document, config),
      logs: { level: "silent", file: false },
      output: folder,
      parser: { transforms: { readWrite: false } },
      plugins: [
        library === "zod"
          ? {
              ...only,
              name: library,
              compatibilityVersion: 4,
              dates: { offset: true },
              $resolvers: {
                string: ({ $, chain, nodes, plugin, schema }) => {
                  const { pattern } = schema;
                  if (pattern) nodes.pattern = () => chain.current.attr("regex").call($.regexp(...regexpOf(pattern)));
                  const type = classOf(schema);
                  if (type === undefined) return undefined;
                  return (chain.current = $(plugin.imports.z).attr("instanceof").call($(type)));
                },
              },
            }
          : {
              ...only,
              name: library,
              $resolvers: {
                string: ({ $, nodes, pipes, plugin, schema }) => {
                  const { pattern } = schema;
                  const { v } = plugin.imports;
                  if (pattern)
                    nodes.pattern = () =>
                      $(v)
                        .attr("regex")
                        .call($.regexp(...regexpOf(pattern)));
                  const type = classOf(schema);
                  if (type === undefined) return undefined;
                  return pipes.push(pipes.current, $(v).attr("instance").call($(type)));
                },
              },
            },
      ],
    }).catch((cause: Error & { originalError?: { error?: Error } }) => {
      const circular = circularSchema(document);
      const reason =
        circular === undefined
          ? (cause.originalError?.error ?? cause).message
          : `the schema ${circular} has an allOf that leads back to the schema`;
      throw new ConfigError(`The feature ${library} cannot be generated: ${reason}.`, { cause });
    });
    return await readFile(join(folder, `${library}.gen.ts`), "utf8");
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Returns the name of a schema that its own `allOf` leads back to. */
function circularSchema(document: OpenApiDocument): string | undefined {
  const { schemas = {} } = (document.components ?? {}) as { schemas?: Record<string, Schema> };
  const leadsBack = (schema: Schema) =>
    ((schema["allOf"] ?? []) as Schema[]).some((member) => conjuncts(document, member).includes(schema));
  return Object.keys(schemas).find((name) => leadsBack(schemas[name]!));
}

/** Returns the schemas of a document as @hey-api/openapi-ts reads them. */
function inputOf(document: OpenApiDocument, config: Config): never {
  const copy = describedValues(document, config);
  const mayHaveTypes = !copy.openapi.startsWith("3.0.");
  forEachKeywordObject(copy, (schema) => {
    const { enum: values, format, pattern, type } = schema;
    if (pattern !== undefined) Object.assign(schema, { pattern: literalOf(pattern) });
    // These numbers and strings would become bigints, and `null` of a schema without a type would be forgotten.
    if ((format === "int64" || format === "uint64") && convertedType(schema, config) === undefined)
      delete schema.format;
    if (Array.isArray(values) && type === undefined && mayHaveTypes) schema.type = [...new Set(values.map(typeOf))];
  });
  return withoutEscapes({ ...copy, openapi: isVersion32(copy) ? "3.1.1" : copy.openapi, paths: {} }) as never;
}

/**
 * Returns a document whose texts have `\u005cu002f` in place of `\u002f`. The generator replaces each `\u` with four digits in its code by
 * the character, also those of the contract, so that a text would end its comment or regular expression and be code.
 */
function withoutEscapes(document: object): unknown {
  const json = JSON.stringify(document).replaceAll(/\\(?:\\(u[\da-f]{4})?|.)/gi, (pair, escape?: string) =>
    escape === undefined ? pair : `\\\\u005c${escape}`,
  );
  return JSON.parse(json);
}

/** Returns a pattern as a regular expression in code; undefined for one that does not compile. */
function literalOf(pattern: unknown): string | undefined {
  try {
    return String(compilePattern(pattern as string));
  } catch {
    return undefined;
  }
}

/** Returns the source and the flags of a regular expression in code. The generator would leave out `u`. */
function regexpOf(literal: string): [source: string, flags: "u" | ""] {
  const end = literal.lastIndexOf("/");
  return [literal.slice(1, end), literal.endsWith("u") ? "u" : ""];
}
