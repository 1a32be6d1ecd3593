import {
  effectiveSchema,
  type OpenApiDocument,
  type OperationEntry,
  propertiesOf,
  resolve,
  type ResponseObject,
  type Schema,
} from "openapi-document";
import { verifierOf } from "@openapi-operations/contract-tools/credentials";
import type { Names } from "./names.ts";
import type { Contract } from "./contract.ts";

/** Returns the configuration of the client's generator. */
export function clientConfig({ document, entries, schemes, basePath }: Contract, { pascal }: Names): object {
  const security = clientSecurity(schemes);
  const error = errorOf(document, entries);
  const depth = basePath.split("/").length - 1;
  return {
    contract: "../contract/src/generated/openapi.json",
    types: "../contract/src/generated/schema.ts",
    output: "src/generated",
    features: ["contract-check", "testing", "react-query"],
    importExtension: ".ts",
    name: pascal,
    ...(security !== undefined && { security }),
    ...(error !== undefined && { error }),
    ...(depth !== 1 && { publishedContract: `${"../".repeat(depth)}openapi.json` }),
  };
}

/** Returns the client's option for the only scheme, if it takes a string; several schemes have the option `credentials`. */
function clientSecurity(schemes: Contract["schemes"]): Record<string, string> | undefined {
  const [only] = schemes.size === 1 ? schemes : [];
  const verifier = only && verifierOf(only[1]);
  return only !== undefined && (verifier === "apiKey" || verifier === "token") ? { [only[0]]: verifier } : undefined;
}

/** Returns the schema of most errors and its fields, if it has a code and a message that are strings. */
function errorOf(document: OpenApiDocument, entries: OperationEntry[]): object | undefined {
  const refs = entries.flatMap(({ operation }) =>
    Object.entries(operation.responses ?? {}).flatMap(([key, node]) => {
      if (!/^(?:[45]|default)/.test(key)) return [];
      const { content = {} } = resolve<ResponseObject>(document, node);
      return Object.entries(content).flatMap(([type, { schema }]) => (/json/.test(type) ? (schema?.$ref ?? []) : []));
    }),
  );
  const [most] = [...Map.groupBy(refs, (ref) => ref)].toSorted(([, one], [, other]) => other.length - one.length);
  const schema = /^#\/components\/schemas\/([\w.-]+)$/.exec(most?.[0] ?? "")?.[1];
  if (schema === undefined) return undefined;
  const fields = propertiesOf(effectiveSchema(document, { $ref: most![0] }));
  const find = (...names: string[]) =>
    names.find((name) => fields[name] !== undefined && isText(document, fields[name]));
  const [code, message] = [
    find("code", "error", "type", "errorCode", "error_code"),
    find("message", "detail", "title", "error_description", "description"),
  ];
  if (code === undefined || message === undefined) return undefined;
  return { schema, ...(code !== "code" && { code }), ...(message !== "message" && { message }) };
}

function isText(document: OpenApiDocument, node: Schema): boolean {
  return [effectiveSchema(document, node).type].flat().includes("string");
}
