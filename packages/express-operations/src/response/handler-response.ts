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

/** The final status codes of HTTP (IANA registry), grouped as OpenAPI's ranges group them. */
export interface StatusRange {
  "2XX": 200 | 201 | 202 | 203 | 204 | 205 | 206 | 207 | 208 | 226;
  "3XX": 300 | 301 | 302 | 303 | 304 | 305 | 307 | 308;
  "4XX":
    | (400 | 401 | 402 | 403 | 404 | 405 | 406 | 407 | 408 | 409 | 410 | 411 | 412 | 413 | 414 | 415 | 416 | 417)
    | (421 | 422 | 423 | 424 | 425 | 426 | 428 | 429 | 431 | 451);
  "5XX": 500 | 501 | 502 | 503 | 504 | 505 | 506 | 507 | 508 | 511;
}

/** Every final status code of HTTP that a response may carry. */
export type StatusCode = StatusRange[keyof StatusRange];
