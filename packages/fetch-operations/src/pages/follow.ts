import type { Connection, Exchange } from "../call/exchange.ts";
import type { OperationDescription } from "../operation.ts";
import { type RequestParts, requestPartsOf } from "../request/request-parts.ts";
import { linkTo } from "./link.ts";

/** A page that was read. */
export interface ReadPage {
  connection: Connection;
  operation: OperationDescription;
  exchange: Exchange;
  input: Readonly<Record<string, unknown>>;
  data: unknown;
  items: readonly unknown[];
}

/** The page that follows, or the reason why it must not be requested. */
export interface NextPage {
  /** The value of the argument that requests it, or its URL. */
  value: string;
  /** Differs from that of every other page. */
  id: string;
  input: ReadPage["input"];
  parts: () => RequestParts;
}

/** Finds the page that follows a page. Returns undefined after the last one, and a text if it must not be requested. */
export type Follow = (page: ReadPage) => NextPage | string | undefined;

/** The functions for the kinds of pages that a contract has. */
export type Followers = { readonly [By in NonNullable<OperationDescription["pages"]>["by"]]?: Follow };

type Of<By extends string> = Extract<NonNullable<OperationDescription["pages"]>, { by: By }>;

/**
 * Follows the link of a page, resolved against this page (RFC 8288, section 3.1), below the base URL only, because the request
 * has the credentials.
 */
export const followLink: Follow = ({ operation, exchange, input }) => {
  const url = exchange.url!;
  const target = linkTo("next", exchange.response!.headers);
  if (target === undefined) return undefined;
  const next = URL.canParse(target, url) ? new URL(target, url) : undefined;
  const base = new URL(exchange.baseUrl);
  if (next?.origin !== base.origin) return "links to a next page of another origin";
  const path = `${base.pathname.replace(/\/+$/, "")}/`;
  // Encoded separators and dots may mean another path to a proxy or the service.
  if (!next.pathname.startsWith(path) || /%(2e|2f|5c)/i.test(next.pathname) || next.username !== "")
    return "links to a next page outside the base URL";
  const { cursor = "" } = operation.pages as Of<"link">;
  const { headers } = requestPartsOf(operation, input);
  const rest = next.pathname.slice(path.length - 1) + next.search;
  const value = next.searchParams.get(cursor) ?? next.href;
  return { value, id: next.href, input, parts: () => ({ target: rest, headers }) };
};

/** Takes the cursor for the next page from the body. */
export const followCursor: Follow = (page) => {
  const { cursor, next } = page.operation.pages as Of<"cursor">;
  const value = at(page.data, next);
  return typeof value === "string" || typeof value === "number" ? withArgument(page, cursor, String(value)) : undefined;
};

/** Increases the offset by the number of items, until a page is empty or shorter than its limit. */
export const followOffset: Follow = (page) => {
  const { offset, limit } = page.operation.pages as Of<"offset">;
  const { items, input } = page;
  const size = limit === undefined ? undefined : input[limit];
  if (items.length === 0 || (typeof size === "number" && items.length < size)) return undefined;
  return withArgument(page, offset, Number(input[offset] ?? 0) + items.length);
};

/** Increases the number of the page by one, until a page is empty. */
export const followNumber: Follow = (page) => {
  const { page: number, first } = page.operation.pages as Of<"page">;
  return page.items.length === 0 ? undefined : withArgument(page, number, Number(page.input[number] ?? first) + 1);
};

/** The functions for every kind of pages. */
export const followers: Followers = {
  link: followLink,
  cursor: followCursor,
  offset: followOffset,
  page: followNumber,
};

function withArgument(page: ReadPage, name: string, value: string | number): NextPage | undefined {
  if (value === "") return undefined;
  const input = { ...page.input, [name]: value };
  return { value: String(value), id: String(value), input, parts: () => requestPartsOf(page.operation, input) };
}

/** Returns the value at a JSON Pointer (RFC 6901), or undefined. */
export function at(value: unknown, pointer: string): unknown {
  let found = value;
  for (const key of pointer.split("/").slice(1))
    found = (found as Record<string, unknown> | null | undefined)?.[key.replaceAll("~1", "/").replaceAll("~0", "~")];
  return found;
}
