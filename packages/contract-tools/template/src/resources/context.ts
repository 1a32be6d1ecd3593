/** In place of the input that every handler of a service gets. */
export type Context = Record<"context", object>;
