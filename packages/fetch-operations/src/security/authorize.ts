import type { Exchange } from "../call/exchange.ts";
import { unsendable } from "../call/call-failure.ts";

/**
 * Adds the credentials of the first requirement whose schemes all have one to the headers, or to the URL, which it returns.
 * Throws if there is none.
 */
export async function authorize(exchange: Exchange, url: string, headers: Headers): Promise<string> {
  const { api, connection, operation, isRejected, signal } = exchange;
  const { schemes } = api;
  const { id, security = api.security } = operation;
  const requirement = security.find((names) =>
    names.every((name) => connection.credential(name) !== undefined || schemes[name]?.isOfConnection),
  );
  if (!requirement && security[0]) {
    exchange.isUserError = false;
    throw unsendable(`${id} requires a credential of ${security.map((names) => names.join(" and ")).join(" or ")}.`);
  }
  const request = { url, headers };
  for (const name of requirement ?? []) {
    let secret = connection.credential(name)!;
    if (typeof secret === "function") {
      exchange.isRenewable = true;
      secret = await secret({ isRejected, signal });
      const problem = schemes[name]!.problemOf(secret);
      if (problem) throw new TypeError(`The credential of ${name} ${problem}`);
    }
    exchange.secrets.push(...schemes[name]!.apply(secret, request));
  }
  return request.url;
}
