import { IncomingMessage, type RequestListener, type ServerOptions, ServerResponse } from "node:http";
import type { Express } from "express";

/** An Express app, or any other listener. */
export type Listening = RequestListener & Partial<Pick<Express, "request" | "response">>;

/**
 * Has Node make requests and responses with the prototypes that Express gives each of them otherwise: changing the
 * prototype of an object that exists makes all that is done with it slower.
 */
export function messagesOf({ request, response }: Listening): ServerOptions {
  if (request === undefined || response === undefined) return {};
  return {
    IncomingMessage: madeWith(IncomingMessage, request),
    ServerResponse: madeWith(ServerResponse, response),
  };
}

/** Node's constructors are functions, so that one can be called for an object that another has made; their types do not say so. */
function madeWith<Base extends typeof IncomingMessage | typeof ServerResponse>(base: Base, prototype: object): Base {
  const construct = base as unknown as (this: object, ...values: unknown[]) => void;
  function Message(this: object, ...values: unknown[]): void {
    construct.apply(this, values);
  }
  Message.prototype = prototype;
  return Message as unknown as Base;
}
