import { type Agent, request as httpRequest } from "node:http";
import type { SentRequest } from "./requests.ts";

/** Sends a request and resolves with the status. It is 0 if there is no response, or if HTTP cannot carry the request. */
export function exchange(port: number, agent: Agent, { method, target, headers, body }: SentRequest): Promise<number> {
  return new Promise((done) => {
    if (!Object.keys(headers).every(isToken)) return done(0);
    const length = body === undefined ? {} : { "content-length": String(body.length) };
    const request = httpRequest(
      { host: "127.0.0.1", port, agent, method, path: target, headers: { ...headers, ...length }, timeout: 30_000 },
      (response) =>
        response
          .resume()
          .on("end", () => done(response.statusCode!))
          .on("error", () => done(0)),
    );
    request.on("timeout", () => request.destroy(new Error("no response")));
    request.on("error", () => done(0));
    request.end(body);
  });
}

/** Returns whether a text can be the name of a header (RFC 9110, section 5.6.2). */
function isToken(name: string): boolean {
  return /^[!#$%&'*+.^`|~\w-]+$/.test(name);
}
