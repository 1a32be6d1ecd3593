/** Arguments of SWR's hooks, `mutate` and `preload` for a client's operations: `useSWR(...queries.getBook({ bookId: 1 }))`. */
import type { SWRConfiguration } from "swr";
import type { SWRInfiniteConfiguration } from "swr/infinite";
import type { SWRMutationConfiguration } from "swr/mutation";
import {
  byOperation,
  cursorOf,
  hasCursor,
  isMutation,
  isQuery,
  type ListPageOf,
  type Operations,
  pageOf,
} from "../queries.ts";

export type { ListPageOf };

/** SWR does not retry, because the client does. */
const config = { shouldRetryOnError: false };

/**
 * Returns the arguments of `useSWR` for each `GET` operation. A falsy input makes the key null, so that SWR sends no request.
 * Keys begin with `key`: two services in one cache need different ones.
 */
export function queriesOf(operations: Operations, client: object, key: string): object {
  return byOperation(operations, client, isQuery, (call, name) => (...inputs: Inputs) => {
    const input = inputOf(inputs);
    return [input && [key, name, input], ([, , own]: Key) => call(own).orThrow(), config];
  });
}

/** Returns the arguments of `useSWRInfinite` for each operation with pages by link and cursor, with the rest as in `queriesOf`. */
export function infiniteQueriesOf(operations: Operations, client: object, key: string): object {
  return byOperation(operations, client, hasCursor, (call, name, operation) => (...inputs: Inputs) => {
    const input = inputOf(inputs);
    const getKey = (_index: number, previous: ListPageOf<unknown> | null) =>
      input === null || (previous !== null && previous.next === undefined)
        ? null
        : [key, name, { ...input, [cursorOf(operation)!]: previous?.next }, "pages"];
    return [getKey, ([, , own]: PageKey) => pageOf(call(own), operation), config];
  });
}

/** Returns the arguments of `useSWRMutation` for each operation that is not a `GET`. Keys begin with `key`. */
export function mutationsOf(operations: Operations, client: object, key: string): object {
  return byOperation(operations, client, isMutation, (call, name) => () => [
    [key, name],
    (_key: unknown, { arg }: { arg: unknown }) => call(arg).orThrow(),
  ]);
}

type Inputs = [] | [object | Falsy];

/** Returns the input; null for a falsy one. */
function inputOf(inputs: Inputs): object | null {
  return inputs.length === 0 ? {} : inputs[0] || null;
}

/** An input that is not known yet. */
export type Falsy = null | undefined | false | 0 | "";

/** The arguments of `useSWR`, of which `mutate` takes the first, and `preload` the first two. */
export type QueryOf<Data, Error> = [
  key: Key | null,
  fetcher: (key: Key) => Promise<Data>,
  config: SWRConfiguration<Data, Error>,
];

/** The arguments of `useSWRInfinite`. The `unstable_serialize` of `swr/infinite` makes a key for `mutate` of the first one. */
export type InfiniteQueryOf<Data, Error> = [
  getKey: (index: number, previous: ListPageOf<Data> | null) => PageKey | null,
  fetcher: (key: PageKey) => Promise<ListPageOf<Data>>,
  config: SWRInfiniteConfiguration<ListPageOf<Data>, Error>,
];

/** The arguments of `useSWRMutation`. To revalidate a query after a mutation, take the query's key in place of the first one. */
export type MutationOf<Data, Error, Input> = [
  key: readonly [name: string, operation: string],
  fetcher: (key: unknown, options: { arg: Input }) => Promise<Data>,
  // The configuration gives `error` its type.
  config?: SWRMutationConfiguration<Data, Error, never, Input>,
];

/** The key of a query. The keys do not change within a major version. */
export type Key = readonly [name: string, operation: string, input: object];

/** The key of a page. */
export type PageKey = readonly [name: string, operation: string, input: object, kind: "pages"];
