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
export const followLink: Follow = ({ operation, exchange, input, data }) => {
  const url = exchange.url!;
  const { next: pointer } = operation.pages as Of<"link">;
  const target = pointer === undefined ? linkTo("next", exchange.response!.headers) : at(data, pointer);
  if (typeof target !== "string" || target === "") return undefined;
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

/** Takes the cursor for the next page from the body, or from the last item of a page that has some. */
export const followCursor: Follow = (page) => {
  const { cursor, next, last } = page.operation.pages as Of<"cursor">;
  const value = last === undefined ? at(page.data, next) : at(page.items.at(-1), last);
  return typeof value === "string" || typeof value === "number" ? withArgument(page, cursor, value) : undefined;
};

/** Increases the offset by the number of items, until a page is empty or shorter than its limit, or the total is reached. */
export const followOffset: Follow = (page) => {
  const { offset, limit, total } = page.operation.pages as Of<"offset">;
  const { items, data } = page;
  const size = limit === undefined ? undefined : argumentOf(page, limit);
  if (items.length === 0 || (typeof size === "number" && items.length < size)) return undefined;
  const following = Number(argumentOf(page, offset) ?? 0) + items.length;
  const all = total === undefined ? undefined : at(data, total);
  return typeof all === "number" && following >= all ? undefined : withArgument(page, offset, following);
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

/** Returns an argument of the call that read a page, or a field of its argument `body`. */
function argumentOf({ input, operation: { pages } }: ReadPage, name: string): unknown {
  const { inBody } = pages as Partial<Of<"offset">>;
  return inBody ? (input["body"] as Record<string, unknown> | undefined)?.[name] : input[name];
}

function withArgument(page: ReadPage, name: string, value: string | number): NextPage | undefined {
  if (value === "") return undefined;
  const { inBody } = page.operation.pages as Partial<Of<"offset">>;
  const own = { [name]: value };
  const input = { ...page.input, ...(inBody ? { body: { ...(page.input["body"] as object), ...own } } : own) };
  return { value: String(value), id: String(value), input, parts: () => requestPartsOf(page.operation, input) };
}

/** Returns the value at a JSON Pointer (RFC 6901), or undefined. */
export function at(value: unknown, pointer: string): unknown {
  let found = value;
  for (const key of pointer.split("/").slice(1))
    found = (found as Record<string, unknown> | null | undefined)?.[key.replaceAll("~1", "/").replaceAll("~0", "~")];
  return found;
}
