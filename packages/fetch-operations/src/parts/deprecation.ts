import { type Fetch, sendBy } from "../fetch.ts";
import type { DeclaredDeprecation } from "../operation.ts";
import type { Deprecation } from "../options.ts";
import { linkTo } from "../pages/link.ts";

/** Called with each deprecated operation, once. */
export type OnDeprecated = (deprecation: Deprecation) => void;

/**
 * Returns a `fetch` that reports operations whose responses have `Deprecation` or `Sunset`, each method and path once. Default: one
 * `console.warn`.
 */
export function reportDeprecations(fetch: Fetch, onDeprecated: OnDeprecated = warnOf("fetch")): Fetch {
  const reported = new Set<string>();
  return async (request, init) => {
    const response = await sendBy(fetch, request, init);
    const { pathname } = new URL(request.url);
    reportOnce(reported, `${request.method} ${pathname}`, onDeprecated, undefined, response.headers);
    return response;
  };
}

/** Reports a deprecated operation once. The dates of the response override those of the contract, because they are newer. */
export function reportOnce(
  reported: Set<string>,
  operationId: string,
  onDeprecated: OnDeprecated | false,
  deprecated?: DeclaredDeprecation,
  headers?: Headers,
): void {
  const deprecation = headers?.get("Deprecation");
  const sunset = headers?.get("Sunset");
  if (reported.has(operationId) || !(deprecated ?? deprecation ?? sunset)) return;
  reported.add(operationId);
  if (!onDeprecated) return;
  onDeprecated({
    operationId,
    deprecatedAt: dateOf(deprecation) ?? dateOf(deprecated?.since),
    sunset: dateOf(sunset) ?? dateOf(deprecated?.sunset),
    successor: deprecated?.successor ?? linkTo("successor-version", headers),
  });
}

/**
 * Parses `@` and seconds since 1970 (RFC 9745, section 2.1), an HTTP date (RFC 8594, section 3) or a day such as
 * `2030-12-05`.
 */
function dateOf(value: string | null | undefined): Date | undefined {
  const time = value?.startsWith("@") ? Number(value.slice(1)) * 1000 : Date.parse(value ?? "");
  return Number.isNaN(time) ? undefined : new Date(time);
}

/** Returns a function that writes one line to the console, beginning with a name. */
export function warnOf(name: string): OnDeprecated {
  return ({ operationId, sunset, successor }) => {
    const removal = sunset ? ` and will be removed on ${sunset.toISOString().slice(0, 10)}` : "";
    console.warn(
      `${name.toLowerCase()}: ${operationId} is deprecated${removal}.${successor ? ` Use ${successor}.` : ""}`,
    );
  };
}
