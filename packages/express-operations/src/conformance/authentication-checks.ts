import type { OpenApiDocument, OperationEntry, SecurityRequirement } from "../document.ts";
import type { Change, Check, Expectation, MakeCheck } from "./checks.ts";
import { expectHeader, expectStatus } from "./exchange.ts";

/** Credentials are judged first, whatever else is wrong with a request, and refused with a challenge (RFC 9110, section 15.5.2). */
export function authenticationChecks(document: OpenApiDocument, entry: OperationEntry, check: MakeCheck): Check[] {
  const requirements = entry.operation.security ?? ((document.security ?? []) as SecurityRequirement[]);
  if (requirements.length === 0 || requirements.some((requirement) => Object.keys(requirement).length === 0)) return [];
  const refused: Expectation = (received) => {
    expectStatus(received, 401);
    expectHeader(received, "WWW-Authenticate");
  };
  const without: Change = (request, target) => {
    for (const name of Object.keys(target.credentials?.(entry.id) ?? {})) delete request.headers[name];
  };
  const checks = [
    check("401 without credentials", without, refused),
    check(
      "401 with credentials that are not valid",
      (request, target) => {
        for (const name of Object.keys(target.credentials?.(entry.id) ?? {}))
          request.headers[name] = "Bearer not-valid";
      },
      refused,
    ),
    check(
      "401 before the query is looked at",
      (request, target) => {
        without(request, target);
        request.query.push(["no-such-parameter", "1"]);
      },
      refused,
    ),
  ];
  if (entry.operation.requestBody !== undefined) {
    checks.push(
      check(
        "401 before the body is looked at",
        (request, target) => {
          without(request, target);
          request.body = { contentType: "application/x-unknown", value: "nonsense" };
        },
        refused,
      ),
    );
  }
  if (entry.method === "get") {
    checks.push(
      check(
        "401 without credentials for HEAD",
        (request, target) => {
          without(request, target);
          request.method = "HEAD";
        },
        refused,
      ),
    );
  }
  return checks;
}
