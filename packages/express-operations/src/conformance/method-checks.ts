import { type OpenApiDocument, type OperationEntry, operationsOf } from "../document.ts";
import type { Change, Check, Expectation, MakeCheck } from "./checks.ts";
import { accepted, ConformanceError, expectHeader, expectStatus } from "./exchange.ts";

/** Paths are exactly the declared ones, and every path answers to HEAD, OPTIONS and wrong methods (RFC 9110, sections 9.3 and 15.5.6). */
export function methodChecks(document: OpenApiDocument, entry: OperationEntry, check: MakeCheck): Check[] {
  const declared = operationsOf(document)
    .filter(({ path }) => path === entry.path)
    .map(({ method }) => method.toUpperCase());
  const allowed = new Set([...declared, "OPTIONS", ...(declared.includes("GET") ? ["HEAD"] : [])]);
  const allows: Expectation = (received) => {
    expectHeader(received, "Allow");
    const listed = received.headers
      .get("Allow")!
      .split(/\s*,\s*/)
      .toSorted()
      .join(", ");
    const expected = [...allowed].toSorted().join(", ");
    if (listed !== expected) throw new ConformanceError(`expected Allow to be ${expected}, got ${listed}`);
  };
  const as =
    (method: string): Change =>
    (request) => {
      delete request.body;
      request.method = method;
    };
  const checks = [
    check(
      "404 for a path that is not declared",
      () => {},
      (received) => expectStatus(received, 404),
      `${entry.path}/no/such/path`,
    ),
    check(
      "404 for a trailing slash",
      () => {},
      (received) => expectStatus(received, 404),
      `${entry.path}/`,
    ),
  ];
  if (!declared.includes("OPTIONS")) {
    checks.push(
      check("OPTIONS says what is allowed", as("OPTIONS"), (received) => {
        expectStatus(received, 200, 204);
        allows(received);
      }),
    );
  }
  const undeclared = ["DELETE", "PUT", "PATCH", "POST", "GET"].find((method) => !allowed.has(method));
  if (undeclared !== undefined) {
    checks.push(
      check(`405 for ${undeclared}`, as(undeclared), (received) => {
        expectStatus(received, 405);
        allows(received);
      }),
    );
  }
  if (entry.method === "get") {
    checks.push(
      check("HEAD wherever GET", as("HEAD"), (received) => {
        accepted(received);
        expectHeader(received, "Content-Type");
      }),
    );
  }
  return checks;
}
