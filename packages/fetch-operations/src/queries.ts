/** What TanStack Query and SWR need of a client's operations: which are queries, which mutations, and which have pages. */
import type { OperationDescription, Pagination } from "./operation.ts";
import { linkTo } from "./pages/link.ts";
import type { Call } from "./result.ts";

export type Operations = Readonly<Record<string, OperationDescription>>;

/** A call of any operation. The types of each operation are generated. */
export type AnyCall = (
  input: unknown,
  options?: { signal: AbortSignal },
) => Call<{ ok: true; data: unknown; response: Response }>;

/** One page of a list. */
export interface ListPageOf<Data> {
  items: Data;
  /** The `cursor` of the next page; undefined on the last page. */
  next: Cursor;
}

export type Cursor = string | undefined;

/** Returns what `make` returns for each operation that is chosen, by the operation's name. */
export function byOperation(
  operations: Operations,
  client: object,
  isChosen: (operation: OperationDescription) => boolean,
  make: (call: AnyCall, name: string, operation: OperationDescription) => unknown,
): object {
  const chosen = Object.entries(operations).filter(([, operation]) => isChosen(operation));
  const calls = client as Record<string, AnyCall>;
  return Object.fromEntries(chosen.map(([name, operation]) => [name, make(calls[name]!, name, operation)])) as object;
}

export function isQuery({ method }: { method: string }): boolean {
  return method === "GET";
}

export function isMutation(operation: { method: string }): boolean {
  return !isQuery(operation);
}

/** Whether an operation has pages by link and cursor. */
export function hasCursor(operation: { pages?: Pagination | undefined }): boolean {
  return cursorOf(operation) !== undefined;
}

/** Returns the argument that requests a page; undefined without pages by link and cursor. */
export function cursorOf({ pages }: { pages?: Pagination | undefined }): string | undefined {
  return pages?.by === "link" ? pages.cursor : undefined;
}

/** Resolves to the page of a call. Rejects with the client's error. */
export async function pageOf(
  pending: ReturnType<AnyCall>,
  operation: OperationDescription,
): Promise<ListPageOf<unknown>> {
  const items = await pending.orThrow();
  return { items, next: cursorIn((await pending).response.headers, cursorOf(operation)!) };
}

/** Returns the cursor of the link to the next page. The rest of the link is ignored, so the request goes to this service. */
function cursorIn(headers: Headers, cursor: string): Cursor {
  const target = linkTo("next", headers);
  return new URLSearchParams(target?.split("?", 2)[1]).get(cursor) ?? undefined;
}
