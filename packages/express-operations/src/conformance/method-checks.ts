import type { OpenApiDocument, OperationEntry } from "openapi-document";
import type { PathRouter } from "../request/path-router.ts";
import type { Change, Check, CheckMaker, Expectation } from "./check-maker.ts";
import { declaresContent } from "./content-checks.ts";
import { pathOf } from "./example-request.ts";
import { ConformanceError, expectHeader } from "./exchange.ts";

/** The methods of each declared path, upper case. */
export type DeclaredPaths = PathRouter<string[]>;

/**
 * Checks that only declared paths exist, and that each supports HEAD, OPTIONS and 405 (RFC 9110, sections 9.3 and
 * 15.5.6).
 */
export function methodChecks(
  document: OpenApiDocument,
  entry: OperationEntry,
  check: CheckMaker,
  paths: DeclaredPaths,
): Check[] {
  const declared = paths.route(entry.path, () => []);
  const allowed = new Set([...declared, "OPTIONS", ...(declared.includes("GET") ? ["HEAD"] : [])]);
  const allows = expectAllow(allowed);
  const checks = [
    check.responds([404], "404 for a path that is not declared", (request) => {
      // Terminates, because every declared path is finite.
      do request.template += "/no/such/path";
      while (paths.find(pathOf(request)) !== undefined);
    }),
  ];
  const slashed = `${entry.path}/`;
  if (paths.find(slashed.replace(/\{[^}]+\}/g, "x")) === undefined) {
    checks.push(check.responds([404], "404 for a trailing slash", (request) => (request.template = slashed)));
  }
  if (!declared.includes("OPTIONS")) {
    checks.push(check.responds([200, 204], "OPTIONS says what is allowed", as("OPTIONS"), allows));
  }
  const undeclared = ["DELETE", "PUT", "PATCH", "POST", "GET"].find((method) => !allowed.has(method));
  if (undeclared !== undefined) checks.push(check.responds([405], `405 for ${undeclared}`, as(undeclared), allows));
  if (entry.method === "get") {
    checks.push(
      check.accepts("HEAD wherever GET", as("HEAD"), (received) => {
        if (declaresContent(document, entry, received.status)) expectHeader(received, "Content-Type");
      }),
    );
  }
  return checks;
}

/** Expects `Allow` to list exactly these methods, in any order. */
function expectAllow(allowed: Set<string>): Expectation {
  return (received) => {
    expectHeader(received, "Allow");
    const sorted = (methods: Iterable<string>) => [...new Set(methods)].toSorted().join(", ");
    const listed = sorted(received.headers.get("Allow")!.split(/\s*,\s*/));
    if (listed !== sorted(allowed))
      throw new ConformanceError(`expected Allow to be ${sorted(allowed)}, got ${listed}`);
  };
}

function as(method: string): Change {
  return (request) => {
    delete request.body;
    request.method = method;
  };
}
