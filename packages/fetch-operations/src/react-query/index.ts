/** Options of a client's operations for TanStack Query's hooks and `QueryClient`. */
export type { InfiniteQueryOf, Key, ListPageOf, MutationOf, QueryOf } from "./options.ts";
export { infiniteQueriesOf, mutationsOf, queriesOf } from "./queries.ts";
