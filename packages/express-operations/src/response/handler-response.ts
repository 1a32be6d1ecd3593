import { shown } from "../lists.ts";

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

/** Throws, naming the operation, for a value of a handler that is no response. */
export function expectResponse(operationId: string, returned: unknown): void {
  const remedy = "Return an object with a declared status, such as { status: 200, body }.";
  if (typeof returned !== "object" || returned === null)
    throw new TypeError(`The handler of "${operationId}" returned ${shown(returned)}. ${remedy}`);
  const { status } = returned as { status?: unknown };
  if (typeof status !== "number" || !Number.isInteger(status) || status < 200 || status > 599)
    throw new TypeError(
      `The handler of "${operationId}" returned the status ${typeof status === "number" ? status : shown(status)}. ${remedy}`,
    );
}
