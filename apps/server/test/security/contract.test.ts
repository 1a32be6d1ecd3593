import { scopes } from "@petstore/contract";
import { document } from "@petstore/contract/document";
import { expect, test } from "vitest";

// The items of the OWASP API Security Top 10 about the contract. `api-keys` has the tests of the service.

test("API5: every operation of the contract declares the scope that it needs", () => {
  for (const operation of operations()) {
    const requirements = operation.security.map((requirement) => requirement.bearerAuth);
    expect(requirements).toEqual([[expect.toBeOneOf([...scopes])]]);
  }
});

test("API7: no request carries an address that the service would fetch", () => {
  const requests = JSON.stringify([operations().map(({ parameters, requestBody }) => [parameters, requestBody])]);
  const schemas = JSON.stringify([document.components.parameters, document.components.schemas]);
  expect(requests + schemas).not.toMatch(/"format":"(uri|iri|url|hostname|ipv[46])/);
});

test("API9: every deprecated operation declares the dates of its deprecation and its sunset", () => {
  for (const operation of operations().filter(({ deprecated }) => deprecated)) {
    expect(operation).toMatchObject({ "x-deprecated-at": expect.any(String), "x-sunset": expect.any(String) });
  }
});

interface Operation {
  operationId: string;
  deprecated?: boolean;
  parameters?: unknown;
  requestBody?: unknown;
  security: { bearerAuth: string[] }[];
}

function operations(): Operation[] {
  return Object.values(document.paths).flatMap((item) => Object.values(item) as unknown as Operation[]);
}
