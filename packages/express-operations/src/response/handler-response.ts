/** The response of a handler, without its operation's types. */
export interface HandlerResponse {
  status: number;
  /** Each item of a list becomes a header line of its own. */
  headers?: Record<string, string | number | boolean | readonly string[] | undefined>;
  contentType?: string;
  body?: unknown;
}

/** The headers of a response as they are written. */
export type Headers = Readonly<Record<string, string | string[]>>;

/** Returns a value without undeclared fields. Returns the value itself if there are none. */
export type DropUndeclared = (value: unknown) => unknown;
