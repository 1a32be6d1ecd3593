import { type OpenApiDocument, type RequestBodyObject, resolve, webhooksOf } from "openapi-document";
import type { ContractShapes } from "../contract/shapes.ts";
import { kindOf } from "./bodies.ts";
import { wordsOf } from "./code.ts";
import type { Config } from "./config.ts";
import { shapeArguments } from "./operation-constants.ts";

/**
 * Returns the module with the payload of each webhook, by the name of the webhook, and the functions that read it. Undefined without
 * webhooks that have a body of JSON or text.
 */
export function webhooksModule(document: OpenApiDocument, shapes: ContractShapes, config: Config): string | undefined {
  const payloads = webhooksOf(document).flatMap(({ id, path, method, operation }) => {
    const { content = {} } = resolve<Partial<RequestBodyObject>>(document, operation.requestBody ?? {});
    const types = Object.keys(content);
    const json = types.find((type) => kindOf(type) === "json");
    const key = JSON.stringify(id);
    if (json === undefined) {
      const isText = types.some((type) => kindOf(type) === "text");
      return isText ? { type: `  ${key}: string;\n`, reader: `  ${key}: (text) => text,\n` } : [];
    }
    const body = `NonNullable<webhooks[${JSON.stringify(path)}][${JSON.stringify(method)}]["requestBody"]>`;
    const shape = shapeArguments(content[json]!.schema, shapes, config);
    const value = shape === undefined ? "parseJson(text)" : `typedValue(text, ${shape})`;
    return {
      type: `  ${key}: ${body}["content"][${JSON.stringify(json)}];\n`,
      reader: `  ${key}: (text) => ${value} as never,\n`,
    };
  });
  if (payloads.length === 0) return undefined;
  const interfaceOf = `export interface WebhookPayloads {\n${payloads.map(({ type }) => type).join("")}}`;
  const readers = payloads.map(({ reader }) => reader).join("");
  const words = wordsOf(interfaceOf + readers);
  const imports = [
    ["typedValue", 'import { typedValue } from "fetch-operations";'],
    ["parseJson", 'import { parseJson } from "fetch-operations/parts/json";'],
    ["webhooks", 'import type { webhooks } from "./schema.ts";'],
    ["shapes", 'import { shapes } from "./shapes.ts";'],
  ].filter(([name]) => new RegExp(`\\b${name}\\b`).test(words));
  return `${imports.map(([, code]) => `${code}\n`).join("")}
/** The payload of each webhook. */
${interfaceOf}

/** Reads the payload of each webhook, as the option \`read\` of \`receiveWebhook\`. */
export const readWebhook: { [Id in keyof WebhookPayloads]: (text: string) => WebhookPayloads[Id] } = {
${readers}};
`;
}
