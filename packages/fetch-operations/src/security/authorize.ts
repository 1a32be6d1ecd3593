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
  const credentials = connection.credentials();
  const requirement = security.find((names) =>
    names.every((name) => credentials[name] !== undefined || schemes[name]?.isOfConnection),
  );
  if (requirement === undefined && security.length > 0) {
    exchange.isUserError = false;
    const names = security.map((all) => all.join(" and ")).join(" or ");
    throw unsendable(`${id} requires a credential of ${names}.`);
  }
  const request = { url, headers };
  for (const name of requirement ?? []) {
    let secret = credentials[name]!;
    if (typeof secret === "function") {
      exchange.isRenewable = true;
      secret = await secret({ isRejected, signal });
    }
    exchange.secrets.push(...schemes[name]!.apply(secret, request));
  }
  return request.url;
}
