import {
  type OpenApiDocument,
  type OperationEntry,
  requirementsOf,
  resolve,
  securityScheme,
  type SecurityScheme,
} from "openapi-document";

/** The function of the runtime that makes a security scheme, with its arguments. */
export interface SchemeCode {
  import: string;
  arguments: string[];
}

/** Returns the security schemes of a document that the client sends. */
export function schemesOf(document: OpenApiDocument): Map<string, SchemeCode> {
  const { securitySchemes = {} } = (document.components ?? {}) as { securitySchemes?: Record<string, SecurityScheme> };
  const sent = Object.entries(securitySchemes).flatMap(([id, node]) => {
    const scheme = schemeCode(resolve<SecurityScheme>(document, node));
    return scheme === undefined ? [] : [[id, scheme] as const];
  });
  return new Map(sent);
}

function schemeCode({ type, scheme = "", in: place = "", name = "" }: SecurityScheme): SchemeCode | undefined {
  if (type === "mutualTLS") return { import: "mutualTls", arguments: [] };
  if (type === "apiKey" && ["header", "query", "cookie"].includes(place))
    return { import: "apiKey", arguments: [place, name] };
  if (type === "http" && scheme.toLowerCase() === "basic") return { import: "basic", arguments: [] };
  const isBearer =
    type === "oauth2" || type === "openIdConnect" || (type === "http" && scheme.toLowerCase() === "bearer");
  return isBearer ? { import: "bearer", arguments: [] } : undefined;
}

/** Returns the requirements that the client can satisfy. One without schemes comes last, so that a credential is sent if there is one. */
export function securityOf(
  document: OpenApiDocument,
  entry: OperationEntry,
  refuse: (problem: string) => never,
): string[][] {
  const requirements = requirementsOf(document, entry).map((requirement) => Object.keys(requirement));
  const missing = requirements.flat().find((name) => securityScheme(document, name) === undefined);
  if (missing !== undefined) refuse(`requires the security scheme "${missing}", which the contract does not declare.`);
  const known = schemesOf(document);
  const sent = requirements.filter((names) => names.every((name) => known.has(name)));
  const unsent = requirements.flat().find((name) => !known.has(name));
  if (sent.length === 0 && unsent !== undefined) {
    const { type, scheme } = securityScheme(document, unsent)!;
    refuse(
      `requires the security scheme "${unsent}" of the type ${type}${scheme ? ` and the scheme ${scheme}` : ""}, which the client does not send.`,
    );
  }
  return sent.toSorted((one, other) => Number(one.length === 0) - Number(other.length === 0));
}

/** Returns the security requirements that most operations have. */
export function sharedSecurity(operations: { security: string[][] }[]): string[][] {
  const counts = new Map<string, number>();
  for (const { security } of operations)
    counts.set(JSON.stringify(security), (counts.get(JSON.stringify(security)) ?? 0) + 1);
  const [most] = [...counts].toSorted(([, one], [, other]) => other - one);
  return most === undefined ? [] : (JSON.parse(most[0]) as string[][]);
}
