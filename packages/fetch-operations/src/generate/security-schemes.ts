import { type OpenApiDocument, resolve, type SecurityScheme } from "openapi-document";

/** The function of the runtime that makes a security scheme, with its arguments. */
export interface MadeScheme {
  import: string;
  arguments: string[];
}

/** Returns the security schemes of a document that the client sends. */
export function schemesOf(document: OpenApiDocument): Map<string, MadeScheme> {
  const { securitySchemes = {} } = (document.components ?? {}) as { securitySchemes?: Record<string, SecurityScheme> };
  const made = Object.entries(securitySchemes).flatMap(([id, node]) => {
    const scheme = madeScheme(resolve<SecurityScheme>(document, node));
    return scheme === undefined ? [] : [[id, scheme] as const];
  });
  return new Map(made);
}

function madeScheme({ type, scheme = "", in: place = "", name = "" }: SecurityScheme): MadeScheme | undefined {
  if (type === "mutualTLS") return { import: "mutualTls", arguments: [] };
  if (type === "apiKey" && ["header", "query", "cookie"].includes(place))
    return { import: "apiKey", arguments: [place, name] };
  if (type === "http" && scheme.toLowerCase() === "basic") return { import: "basic", arguments: [] };
  const isBearer =
    type === "oauth2" || type === "openIdConnect" || (type === "http" && scheme.toLowerCase() === "bearer");
  return isBearer ? { import: "bearer", arguments: [] } : undefined;
}
