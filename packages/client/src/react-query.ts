/** Options of the client's operations for TanStack Query's hooks and `QueryClient`. */
export * from "./generated/queries.ts";
