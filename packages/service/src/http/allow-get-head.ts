import type { NextFunction, Request, Response } from "express";
import { problem } from "../problems.ts";

const ALLOWED = { Allow: "GET, HEAD, OPTIONS" };

/** Passes GET and HEAD on to a read-only route. OPTIONS gets 204 and any other method 405 (RFC 9110, section 9). */
export function allowGetHead({ method }: Request, response: Response, next: NextFunction): void {
  if (method === "OPTIONS") response.writeHead(204, ALLOWED).end();
  else if (method === "GET" || method === "HEAD") next();
  else throw problem("method_not_allowed", ALLOWED);
}
