import type { OpenApiDocument } from "openapi-document";
import { comment } from "./code.ts";

interface Server {
  url: string;
  description?: string;
  variables?: Record<string, { default: string; enum?: string[]; description?: string }>;
}

/** Returns the module of the contract's servers: functions of their variables that return a base URL. */
export function serversModule(document: OpenApiDocument): string {
  const { servers = [] } = document as { servers?: Server[] };
  const members = servers.map(({ url, description, variables = {} }) => {
    const names = Object.keys(variables);
    const types = names.map((name) => `${JSON.stringify(name)}?: ${typeOf(variables[name]!)}`);
    const defaults = names.map((name) => `${JSON.stringify(name)}: ${JSON.stringify(variables[name]!.default)}`);
    const parameter = names.length === 0 ? "" : `variables: { ${types.join("; ")} } = {}`;
    const text = JSON.stringify(url.replace(/\/+$/, ""));
    const value = names.length === 0 ? text : `fillServer(${text}, { ${defaults.join(", ")}, ...variables })`;
    return `${comment(description?.split("\n") ?? [], "  ")}  (${parameter}): string => ${value},\n`;
  });
  const isFilled = members.some((member) => member.includes("fillServer("));
  return `${isFilled ? 'import { fillServer } from "fetch-operations";\n' : ""}
/** The servers of the contract, in its order. Each returns a \`baseUrl\`; a variable without a value has its default. */
export const servers = [
${members.join("")}] as const;
`;
}

function typeOf({ enum: values }: { enum?: string[] }): string {
  return values?.map((value) => JSON.stringify(value)).join(" | ") ?? "string";
}
