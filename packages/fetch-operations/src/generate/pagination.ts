import { type OpenApiDocument, type OperationEntry, resolve, type Schema, unescapeKey } from "openapi-document";
import type { Pagination } from "../operation.ts";
import type { Pages } from "./config.ts";
import type { DeclaredResponse } from "./bodies.ts";

/**
 * Returns the pagination of an operation: that of the configuration, of its extension `x-pagination`, of the first rule that
 * fits, or by the header `Link` of a list. Refuses a pagination whose parameters or items do not exist.
 */
export function paginationOf(
  document: OpenApiDocument,
  entry: OperationEntry,
  rules: Pages[],
  own: Pages | false | undefined,
  responses: DeclaredResponse[],
  refuse: (problem: string) => never,
): Pagination | undefined {
  if (own === false) return undefined;
  const declared = own ?? ((entry.operation as Record<string, unknown>)["x-pagination"] as Pages | undefined);
  const parameters = new Set(entry.parameters.filter(({ in: place }) => place === "query").map(({ name }) => name));
  const schema = successSchema(responses);
  if (declared !== undefined) {
    const pages = completed(declared);
    const missing = parametersOf(pages).find((name) => !parameters.has(name));
    if (missing !== undefined) refuse(`has pages by the query parameter "${missing}", which it does not declare.`);
    if (!isList(document, schema, pages.items))
      refuse(`has pages of items at "${pages.items}", where its response has no list.`);
    return pages;
  }
  const fitting = rules
    .map(completed)
    .find(
      (pages) => parametersOf(pages).every((name) => parameters.has(name)) && isList(document, schema, pages.items),
    );
  if (fitting) return fitting;
  const links = responses.some(({ isSuccess, hasLink }) => isSuccess && hasLink);
  if (!links || entry.method !== "get" || !isList(document, schema, "")) return undefined;
  return { by: "link", items: "", ...(parameters.has("cursor") && { cursor: "cursor" }) };
}

function completed(pages: Pages): Pagination {
  const defaults = pages.by === "page" ? { items: "", first: 1 } : { items: "" };
  return { ...defaults, ...pages } as Pagination;
}

function parametersOf(pages: Pagination): string[] {
  if (pages.by === "cursor") return [pages.cursor];
  if (pages.by === "offset") return [pages.offset, ...(pages.limit === undefined ? [] : [pages.limit])];
  return pages.by === "page" ? [pages.page] : [];
}

function successSchema(responses: DeclaredResponse[]): Schema | undefined {
  const { media = [] } = responses.find(({ isSuccess, media: [first] }) => isSuccess && first) ?? {};
  return media.find(({ kind }) => kind === "json" || kind === "any")?.object.schema;
}

function isList(document: OpenApiDocument, schema: Schema | undefined, pointer: string): boolean {
  let found = resolve<Schema>(document, schema ?? {});
  for (const key of pointer.split("/").slice(1)) {
    const properties = (found["properties"] ?? {}) as Record<string, Schema>;
    found = resolve<Schema>(document, properties[unescapeKey(key)] ?? {});
  }
  return [found.type].flat().includes("array");
}
