import type { OperationEntry } from "openapi-document";
import type { Check, CheckMaker } from "./check-maker.ts";
import { ConformanceError, expectHeader } from "./exchange.ts";

/**
 * Checks that a deprecated operation announces its deprecation date, its end and its successor (RFC 9745, RFC 8594, RFC
 * 5829).
 */
export function deprecationChecks(entry: OperationEntry, check: CheckMaker): Check[] {
  const { deprecated, "x-deprecated-at": since, "x-sunset": sunset, "x-successor": successor } = entry.operation;
  if (deprecated !== true) return [];
  const checks: Check[] = [];
  const announces = (name: string, pattern: RegExp, time?: { text: string; read: (value: string) => number }) => {
    checks.push(
      check.accepts(
        `its ${name} header announces the deprecation`,
        () => {},
        (received) => {
          expectHeader(received, name, pattern);
          const value = received.headers.get(name)!;
          if (time !== undefined && time.read(value) !== Date.parse(time.text))
            throw new ConformanceError(`expected the header ${name} to say ${time.text}, got ${value}`);
        },
      ),
    );
  };
  if (since !== undefined)
    announces("Deprecation", /^@\d+$/, { text: since, read: (value) => Number(value.slice(1)) * 1000 });
  if (sunset !== undefined) announces("Sunset", / GMT$/, { text: sunset, read: Date.parse });
  if (successor !== undefined) announces("Link", /\brel="?successor-version\b/);
  return checks;
}
