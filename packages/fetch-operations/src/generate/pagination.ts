import {
  effectiveSchema,
  nonNullTypesOf,
  type OpenApiDocument,
  type OperationEntry,
  propertiesOf,
  type Schema,
  unescapeKey,
} from "openapi-document";
import type { Pagination } from "../operation.ts";
import type { Argument } from "./arguments.ts";
import type { Pages } from "./config.ts";
import type { DeclaredResponse, RequestBody } from "./bodies.ts";

type By = Pagination["by"];
type Setting = "cursor" | "offset" | "limit" | "page";

/** The settings that name query parameters, and the settings that a pagination cannot do without. */
const PARAMETERS: Record<By, Setting[]> = {
  link: ["cursor"],
  cursor: ["cursor"],
  offset: ["offset", "limit"],
  page: ["page"],
};
const REQUIRED: Record<By, string[]> = { link: [], cursor: ["cursor"], offset: ["offset"], page: ["page"] };

/**
 * Returns the pagination of an operation: that of the configuration, of its extension `x-pagination`, of the first rule that
 * fits, or by the header `Link` of a list. Refuses a pagination whose parameters, items or next cursor do not exist.
 */
export function paginationOf(
  document: OpenApiDocument,
  entry: OperationEntry,
  parameters: Argument[],
  rules: Pages[],
  own: Pages | false | undefined,
  responses: DeclaredResponse[],
  body: RequestBody | undefined,
  refuse: (problem: string) => never,
): Pagination | undefined {
  if (own === false) return undefined;
  const declared = own ?? ((entry.operation as Record<string, unknown>)["x-pagination"] as Pages | undefined);
  const query = new Map(parameters.filter(({ in: place }) => place === "query").map(({ wire, name }) => [wire, name]));
  const json = body?.media.find(({ kind }) => kind === "json")?.object.schema;
  const fields = new Set(json && Object.keys(propertiesOf(effectiveSchema(document, json))));
  for (const field of fields) if (!query.has(field)) query.set(field, field);
  const schema = successSchema(responses);
  const problemOf = (pages: Pagination) => problemIn(document, schema, query, pages);
  const isInBody = (pages: Pagination) =>
    body !== undefined &&
    !body.hasFields &&
    PARAMETERS[pages.by].some((setting) => fields.has((pages as never)[setting]));
  const placed = (pages: Pagination) =>
    ({ ...withArguments(pages, query), ...(isInBody(pages) && { inBody: true }) }) as Pagination;
  if (declared !== undefined) {
    const pages = completed(declared);
    const problem = problemOf(pages);
    return problem === undefined ? placed(pages) : refuse(problem);
  }
  const fitting = rules.map(completed).find((pages) => problemOf(pages) === undefined);
  if (fitting) return placed(fitting);
  const links = responses.some(({ isSuccess, hasLink }) => isSuccess && hasLink);
  if (!links || entry.method !== "get" || !isList(document, schemaAt(document, schema, ""))) return undefined;
  return withArguments({ by: "link", items: "", ...(query.has("cursor") && { cursor: "cursor" }) }, query);
}

function completed(pages: Pages): Pagination {
  const defaults = pages.by === "page" ? { items: "", first: 1 } : { items: "" };
  return { ...defaults, ...pages } as Pagination;
}

function problemIn(
  document: OpenApiDocument,
  schema: Schema | undefined,
  query: ReadonlyMap<string, string>,
  pages: Pagination,
): string | undefined {
  const { by, items, next, ...settings } = pages as { by: By; items: string; next?: string } & Record<string, unknown>;
  if (!Object.hasOwn(PARAMETERS, by))
    return `has pages by ${JSON.stringify(by)}. Write one of ${Object.keys(PARAMETERS).join(", ")}.`;
  const missing = REQUIRED[by].find((setting) => (pages as Record<string, unknown>)[setting] === undefined);
  if (missing !== undefined) return `has pages by ${by} without the setting "${missing}". Add it to the pagination.`;
  const { last, total } = settings as { last?: string; total?: string };
  if (by === "cursor" && (next === undefined) === (last === undefined))
    return `has pages by cursor ${next === undefined ? "without" : "with both of"} the settings "next" and "last". Give one of them.`;
  const undeclared = PARAMETERS[by].find(
    (setting) => settings[setting] !== undefined && !query.has(settings[setting] as string),
  );
  if (undeclared !== undefined)
    return `has pages by the query parameter "${settings[undeclared] as string}", which it does not declare. Declare it, or correct "${undeclared}" of the pagination.`;
  if (!isList(document, schemaAt(document, schema, items)))
    return `has pages of items at "${items}", where its response has no list. Correct "items" of the pagination.`;
  const item = effectiveSchema(document, effectiveSchema(document, schemaAt(document, schema, items))["items"]);
  if (last !== undefined && !isCursor(document, schemaAt(document, item, last)))
    return `has the next cursor at "${last}" of the last item, where items have no string or number. Correct "last" of the pagination.`;
  if (total !== undefined && !isCursor(document, schemaAt(document, schema, total)))
    return `has the number of items at "${total}", where its response has no number. Correct "total" of the pagination.`;
  if (next !== undefined && !isCursor(document, schemaAt(document, schema, next)))
    return `has the next ${by} at "${next}", where its response has no string or number. Correct "next" of the pagination.`;
  return undefined;
}

/**
 * Names the parameters as the arguments of the operation. A `Link` names the parameter itself, so that it has no cursor where
 * the argument has another name.
 */
function withArguments(pages: Pagination, query: ReadonlyMap<string, string>): Pagination {
  const named = PARAMETERS[pages.by].flatMap((setting) => {
    const wire = (pages as Partial<Record<Setting, string>>)[setting];
    return wire === undefined ? [] : [[setting, query.get(wire)!] as const];
  });
  const { cursor, ...link } = pages as Extract<Pagination, { by: "link" }>;
  return pages.by === "link" && cursor !== named[0]?.[1] ? link : { ...pages, ...Object.fromEntries(named) };
}

function successSchema(responses: DeclaredResponse[]): Schema | undefined {
  const { media = [] } = responses.find(({ isSuccess, media: [first] }) => isSuccess && first) ?? {};
  return media.find(({ kind }) => kind === "json" || kind === "any")?.object.schema;
}

/** Returns the schema at a JSON Pointer: `{}` where a schema leaves its fields open, undefined where there is no such field. */
function schemaAt(document: OpenApiDocument, schema: Schema | undefined, pointer: string): Schema | undefined {
  if (pointer !== "" && !pointer.startsWith("/")) return undefined;
  let found = effectiveSchema(document, schema);
  for (const key of pointer.split("/").slice(1).map(unescapeKey)) {
    const properties = propertiesOf(found);
    const isIndex = nonNullTypesOf(document, found).has("array") && /^\d+$/.test(key);
    if (!isIndex && !Object.hasOwn(properties, key)) return isOpen(document, found) ? {} : undefined;
    found = effectiveSchema(document, isIndex ? found.items : properties[key]);
  }
  return found;
}

/** Whether an object may have fields without a name in its schema, or with one in an alternative. */
function isOpen(document: OpenApiDocument, schema: Schema): boolean {
  const { properties, additionalProperties = false, unevaluatedProperties = false } = schema;
  if (["oneOf", "anyOf", "patternProperties"].some((keyword) => keyword in schema)) return true;
  if (additionalProperties !== false || unevaluatedProperties !== false) return true;
  const types = nonNullTypesOf(document, schema);
  return properties === undefined && (types.size === 0 || types.has("object"));
}

function isList(document: OpenApiDocument, schema: Schema | undefined): boolean {
  return schema !== undefined && nonNullTypesOf(document, schema).has("array");
}

function isCursor(document: OpenApiDocument, schema: Schema | undefined): boolean {
  if (schema === undefined) return false;
  const types = nonNullTypesOf(document, schema);
  return types.size === 0 || ["string", "number", "integer"].some((type) => types.has(type));
}
