import {
  effectiveSchema,
  essenceOf,
  isJson,
  isSequential,
  isVersion32,
  type MediaTypeObject,
  type OpenApiDocument,
  type OperationEntry,
  propertiesOf,
  resolve,
  type ResponseObject,
  responseKey,
  type Schema,
} from "openapi-document";

/** A response as a handler returns it. */
export interface ExampleResponse {
  status: number;
  headers?: Record<string, string | number | boolean | string[]>;
  contentType?: string;
  body?: unknown;
}

/** The XML Object of a schema: https://spec.openapis.org/oas/v3.1.1.html#xml-object */
interface Xml {
  name?: string;
  prefix?: string;
  namespace?: string;
  attribute?: boolean;
  wrapped?: boolean;
}

/**
 * Returns a response whose body is text, unless it is JSON or already text. XML has the names that the schema declares. The items
 * of a stream are sent one by one, as the service sends them. Other media types get JSON, one line for each item of a list.
 */
export function withBodyText(
  document: OpenApiDocument,
  entry: OperationEntry,
  response: ExampleResponse,
): ExampleResponse {
  const { status, contentType = "application/json", body } = response;
  const essence = essenceOf(contentType);
  if (body === undefined || isJson(essence)) return response;
  if (isSequential(essence) && !isStreamText(essence, body)) {
    const media = mediaOf(document, entry, status, contentType);
    const isOne = !Array.isArray(body) || isListOfLists(document, media);
    return { ...response, body: itemsOf(isOne ? [body] : (body as unknown[])) };
  }
  if (typeof body === "string") return response;
  if (/[/+]xml$/.test(essence))
    return {
      ...response,
      body: `${XML_DECLARATION}${rootElement(document, mediaOf(document, entry, status, contentType).schema ?? {}, body)}`,
    };
  const lines = [body].flat().map((item) => JSON.stringify(item));
  return { ...response, body: lines.map((line) => `${line}\n`).join("") };
}

/** Whether an example is the text of a whole stream, and not its only item. */
function isStreamText(essence: string, body: unknown): boolean {
  if (typeof body !== "string") return false;
  return essence === "text/event-stream"
    ? /^(?:data|event|id|retry|):/m.test(body)
    : /^\s*[[{"]/.test(body.replaceAll("\u001e", ""));
}

/** Whether each item of a stream is a list itself: a schema describes one item, in OpenAPI 3.2 `itemSchema` alone. */
function isListOfLists(document: OpenApiDocument, { schema, itemSchema }: MediaTypeObject): boolean {
  const item = itemSchema ?? (isVersion32(document) ? {} : schema);
  return [effectiveSchema(document, item).type].flat().includes("array");
}

async function* itemsOf(items: unknown[]): AsyncGenerator {
  yield* items;
}

const XML_DECLARATION = '<?xml version="1.0" encoding="UTF-8"?>\n';

function mediaOf(
  document: OpenApiDocument,
  entry: OperationEntry,
  status: number,
  contentType: string,
): MediaTypeObject {
  const key = responseKey(entry, status) ?? "";
  const { content = {} } = resolve<ResponseObject>(document, entry.operation.responses?.[key] ?? {});
  return content[contentType] ?? Object.values(content)[0] ?? {};
}

/** The root is named by its XML Object, or by its component. A list has its items in it. */
function rootElement(document: OpenApiDocument, node: Schema, value: unknown): string {
  const schema = effectiveSchema(document, node);
  const named = (node["$ref"] ?? "response").replace(/^.*\//, "");
  const root = { ...schema, xml: { ...xmlOf(schema), wrapped: true } };
  return elements(document, root, named, value);
}

/** Returns the elements of a value: none for an absent one, and one for each item of a list that is not wrapped. */
function elements(document: OpenApiDocument, node: Schema, name: string, value: unknown): string {
  if (value === undefined) return "";
  const schema = effectiveSchema(document, node);
  if (!Array.isArray(value)) return element(document, schema, name, value);
  const { wrapped, name: own = name } = xmlOf(schema);
  const item = effectiveSchema(document, schema.items);
  const items = value.map((each) => elements(document, item, wrapped === true ? own : name, each)).join("");
  return wrapped === true ? tagged(tagOf(schema, name), [], items) : items;
}

function element(document: OpenApiDocument, schema: Schema, name: string, value: unknown): string {
  if (typeof value !== "object" || value === null) return tagged(tagOf(schema, name), [], escaped(value ?? ""));
  const fields = propertiesOf(schema);
  const attributes: string[] = [];
  let content = "";
  for (const [field, own] of Object.entries(value)) {
    const fieldSchema = effectiveSchema(document, fields[field]);
    const tag = tagOf(fieldSchema, field);
    if (xmlOf(fieldSchema).attribute === true) attributes.push(` ${tag}="${escaped(own)}"`);
    else content += elements(document, fieldSchema, field, own);
  }
  const { namespace, prefix } = xmlOf(schema);
  if (namespace !== undefined)
    attributes.unshift(` xmlns${prefix === undefined ? "" : `:${prefix}`}="${escaped(namespace)}"`);
  return tagged(tagOf(schema, name), attributes, content);
}

function tagged(tag: string, attributes: string[], content: string): string {
  const start = `<${tag}${attributes.join("")}`;
  return content === "" ? `${start}/>` : `${start}>${content}</${tag}>`;
}

/** Returns the name of an element. Characters that XML forbids in names become `_`. */
function tagOf(schema: Schema, otherwise: string): string {
  const { name = otherwise, prefix } = xmlOf(schema);
  const tag = name.replaceAll(/[^\p{L}\p{N}_.-]/gu, "_").replace(/^(?![\p{L}_])/u, "_");
  return prefix === undefined ? tag : `${prefix}:${tag}`;
}

function xmlOf(schema: Schema): Xml {
  return schema["xml"] ?? {};
}

function escaped(value: unknown): string {
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return text.replaceAll(/[&<>"]/g, (character) => `&#${character.codePointAt(0)};`);
}
