import type { Connection, Part } from "./call/exchange.ts";
import type { OperationDescription } from "./operation.ts";
import type { Deprecation } from "./options.ts";
import { linkTo } from "./pages/link.ts";

/** Reports deprecated operations, each once, to `onDeprecated` or the console. */
export const deprecations: Part = { options: ["onDeprecated"], report: reportDeprecation };

/** Reports a deprecated operation once. The dates of the response override those of the contract, because they are newer. */
export function reportDeprecation(
  connection: Connection,
  { id, deprecated }: OperationDescription,
  headers?: Headers,
): void {
  const { api, reported, options } = connection;
  if (reported.has(id)) return;
  const deprecation = headers?.get("Deprecation");
  const sunset = headers?.get("Sunset");
  if (!(deprecated ?? deprecation ?? sunset)) return;
  reported.add(id);
  const { onDeprecated = (found: Deprecation) => warn(api.name, found) } = options();
  if (!onDeprecated) return;
  onDeprecated({
    operationId: id,
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

function warn(name: string, { operationId, sunset, successor }: Deprecation): void {
  const removal = sunset ? ` and will be removed on ${sunset.toISOString().slice(0, 10)}` : "";
  console.warn(
    `${name.toLowerCase()}: ${operationId} is deprecated${removal}.${successor ? ` Use ${successor}.` : ""}`,
  );
}
