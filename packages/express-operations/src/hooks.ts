import type { Request, RequestHandler, Response } from "express";
import type { OperationEntry } from "openapi-document";
import type { UntypedHandler } from "./handler.ts";
import { nameList } from "./lists.ts";
import type { HandlerResponse } from "./response/handler-response.ts";

/** A hook without the types of the application. */
type UntypedHook = (
  input: Record<string, unknown>,
  next: (fields?: object) => Promise<HandlerResponse>,
) => HandlerResponse | Promise<HandlerResponse>;

/** A hook around the handlers of some operations. */
interface HookOfSome {
  around: UntypedHook;
  tags?: readonly string[];
  operations?: readonly string[];
}

/** The code around handlers, as an application gives it. */
export interface GivenHooks {
  /** A hook, or an array of hooks and of `HookOfSome`. Its types are those of the application. */
  around?: unknown;
  use?: Readonly<Record<string, RequestHandler | readonly RequestHandler[] | undefined>> | undefined;
}

/** Throws for a hook or a middleware that is no function, or that names an unknown operation or tag. */
export function expectHooks(entries: OperationEntry[], { around, use = {} }: GivenHooks): void {
  const ids = entries.map(({ id }) => id);
  const tags = entries.flatMap(({ operation }) => operation.tags ?? []);
  const some = hooksOf(around);
  if (some.some((hook) => typeof hook.around !== "function"))
    throw new TypeError(
      "The option around has to be a function, or an array of functions and of `{ around, tags, operations }`.",
    );
  expectKnown("use", "operation", Object.keys(use), ids);
  expectKnown(
    "around",
    "operation",
    some.flatMap(({ operations = [] }) => operations),
    ids,
  );
  expectKnown(
    "around",
    "tag",
    some.flatMap(({ tags: named = [] }) => named),
    tags,
  );
  for (const [id, middlewares] of Object.entries(use))
    if ([middlewares].flat().some((middleware) => middleware !== undefined && typeof middleware !== "function"))
      throw new TypeError(`The option use.${id} has to be an Express middleware, or an array of them.`);
}

function expectKnown(option: string, kind: string, named: string[], known: string[]): void {
  const unknown = named.filter((name) => !known.includes(name));
  if (unknown.length === 0) return;
  throw new TypeError(`The option ${option} names the ${kind} ${nameList(unknown)}, which the document does not have.`);
}

function hooksOf(around: unknown): HookOfSome[] {
  const given = (around === undefined ? [] : [around].flat()) as (UntypedHook | HookOfSome)[];
  return given.map((hook) => (typeof hook === "function" ? { around: hook } : { ...hook }));
}

/** Returns the handler of an operation inside of its hooks. The first hook is the outermost. */
export function withHooks(handler: UntypedHandler, entry: OperationEntry, around: unknown): UntypedHandler {
  const { id, operation } = entry;
  const own = hooksOf(around).filter(({ tags, operations }) => {
    if (tags === undefined && operations === undefined) return true;
    return operations?.includes(id) === true || tags?.some((tag) => operation.tags?.includes(tag)) === true;
  });
  return own.reduceRight<UntypedHandler>((inner, hook) => {
    return (input) => {
      let isCalled = false;
      return hook.around(input, async (fields) => {
        if (isCalled) throw new Error(`A hook around "${id}" has called \`next\` twice. Call it at most once.`);
        isCalled = true;
        return inner(Object.assign(input, fields));
      });
    };
  }, handler);
}

/**
 * Calls Express middlewares one after the other. Resolves once the last has called `next`, and never if one responds
 * itself. Rejects with the error that one passes to `next`, throws or rejects with.
 */
export async function callMiddlewares(
  middlewares: readonly RequestHandler[],
  request: Request,
  response: Response,
): Promise<void> {
  for (const middleware of middlewares) {
    await new Promise<void>((done, fail) => {
      const next = (error?: unknown): void => (error === undefined || error === null ? done() : fail(error));
      Promise.resolve(middleware(request, response, next)).catch(fail);
    });
  }
}
