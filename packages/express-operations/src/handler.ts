import {
  essenceOf,
  isJson,
  isText,
  type OpenApiDocument,
  type OperationEntry,
  type RequestBodyObject,
  resolve,
} from "openapi-document";
import type { BodyLimits } from "./request/limits.ts";
import type { HandlerResponse } from "./response/handler-response.ts";

/** A handler without its operation's types. */
export type UntypedHandler = (input: Record<string, unknown>) => HandlerResponse | Promise<HandlerResponse>;

/** A handler with its options. */
export interface HandlerOptions {
  handler: UntypedHandler;
  isCacheable?: boolean;
  /** Whether the handler reads the request body while it arrives, with limits of its own. */
  streamsBody?: boolean;
  limits?: Partial<BodyLimits>;
}

/** A handler as an application gives it. */
export type GivenHandler = UntypedHandler | HandlerOptions;

/** Stands for the handler of an operation whose requests go to Express's next handler. It is not called. */
export const passOn: UntypedHandler = () => ({ status: 404 });

export function optionsOf(given: GivenHandler | undefined): HandlerOptions {
  return typeof given === "object" && given !== null && "handler" in given
    ? given
    : { handler: given as UntypedHandler };
}

/** Throws if an operation has no body to stream, or if its responses may depend on more than its URL. */
export function expectSuitable(
  document: OpenApiDocument,
  entry: OperationEntry,
  options: HandlerOptions,
  parsedBodies: boolean,
): void {
  if (options.isCacheable === true) expectCacheable(entry);
  if (options.streamsBody !== true) return;
  const { content = {} } = resolve<RequestBodyObject>(document, entry.operation.requestBody ?? {});
  const parsed = Object.keys(content).find((type) => isParsed(essenceOf(type)));
  if (parsedBodies && parsed !== undefined)
    throw new Error(
      `The handler of "${entry.id}" cannot have a streamed body with the option parsedBodies: a body parser may read ${parsed} first. Remove one of the two.`,
    );
  if (Object.keys(content).length > 0) return;
  throw new Error(
    `The handler of "${entry.id}" cannot have a streamed body: the operation has no request body. Remove \`streamsBody\`.`,
  );
}

/** Whether body parsers read a media type by default. */
function isParsed(essence: string): boolean {
  return isJson(essence) || isText(essence) || essence === "application/x-www-form-urlencoded";
}

/**
 * An optional `If-None-Match` is allowed, because the header only turns the response into a 304. Cached responses are sent without
 * validating the header.
 */
function expectCacheable(entry: OperationEntry): void {
  const others = entry.parameters.filter(({ in: location }) => location === "header" || location === "cookie");
  const depended = others.filter(({ name, required }) => !/^if-none-match$/i.test(name) || required === true);
  if (entry.method !== "get" || depended.length > 0 || entry.operation.requestBody !== undefined) {
    throw new Error(
      `The handler of "${entry.id}" cannot be cacheable: only a GET operation that reads path and query alone can. Remove \`isCacheable\`.`,
    );
  }
}
