import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { exampleValue } from "express-operations/example-value";
import { operationsOf, resolve } from "openapi-document";
import type { OperationDescription } from "fetch-operations";
import { type Reply, serve } from "../../documents/served.ts";

/** The result of one call. Without a cause, the call got its declared success. */
export interface CallResult {
  id: string;
  cause?: string;
}

type Node = Record<string, never>;
type AnyCall = (
  input: object,
) => Promise<{ ok: boolean; status: number; error?: { message?: string }; cause?: unknown }>;

/** Calls each operation of a client against express-operations, which serves the document with examples of its schemas. */
export async function callAll(document: Node, folder: string): Promise<CallResult[]> {
  const { operations } = (await import(pathToFileURL(join(folder, "operations.ts")).href)) as {
    operations: Record<string, OperationDescription>;
  };
  const { createCensus } = (await import(pathToFileURL(join(folder, "index.ts")).href)) as {
    createCensus: (options: object) => object;
  };
  const { api } = (await import(pathToFileURL(join(folder, "api.ts")).href)) as { api: { schemes: object } };
  let reply: Reply;
  const entries = operationsOf(document as never);
  const ids = entries.map(({ id }) => id);
  const { port, lastError, close } = await serve(document as never, ids, () => reply);
  const baseUrl = `http://127.0.0.1:${port}`;
  const credential = (name: string) => [
    name,
    /^basic$/i.test(schemeOf(document, name).scheme ?? "") ? { username: "u", password: "p" } : "key",
  ];
  const credentials = Object.fromEntries(Object.keys(api.schemes).map(credential)) as object;
  const client = createCensus({ baseUrl, credentials, retry: false, onDeprecated: false }) as Record<string, AnyCall>;
  const results: CallResult[] = [];
  for (const [name, operation] of Object.entries(operations)) {
    const entry = entries.find(({ id }) => id === operation.id)!;
    try {
      const input = inputOf(document, entry, operation);
      reply = replyOf(document, entry.operation);
      const result = await client[name]!(input);
      const cause = result.ok
        ? undefined
        : `${(lastError() ?? result.error)?.message} ${(result.cause as Error | undefined)?.message ?? ""}`;
      results.push({ id: operation.id, ...(cause !== undefined && { cause: cause.slice(0, 200) }) });
    } catch (error) {
      results.push({ id: operation.id, cause: `no request: ${(error as Error).message.slice(0, 150)}` });
    }
  }
  await close();
  return results;
}

function schemeOf(document: Node, name: string): { scheme?: string } {
  const { securitySchemes } = document["components"] as unknown as {
    securitySchemes: Record<string, { scheme?: string }>;
  };
  return securitySchemes[name]!;
}

type Entry = ReturnType<typeof operationsOf>[number];

function inputOf(
  document: Node,
  { parameters, operation }: Entry,
  { parameters: places, hasFields }: OperationDescription,
): object {
  const input: Record<string, unknown> = {};
  for (const parameter of parameters) {
    if (!parameter.required && parameter.in !== "path") continue;
    const argument = Object.entries(places).find(([name, place]) =>
      typeof place === "object"
        ? place.in === parameter.in && (place.name ?? name) === parameter.name
        : place === parameter.in && name === parameter.name,
    )![0];
    const [media] = Object.values(parameter.content ?? {});
    input[argument] = valueOf(document, media?.schema ?? parameter.schema ?? {}, parameter.example ?? media?.example);
  }
  const body =
    operation.requestBody &&
    resolve<{ content?: Record<string, { schema?: object; example?: unknown }>; required?: boolean }>(
      document as never,
      operation.requestBody,
    );
  const [declared] = Object.entries(body?.content ?? {});
  if (!body?.required || declared === undefined) return input;
  const [type, { schema = {}, example }] = declared;
  if ("contentType" in places) input["contentType"] = type;
  const isValue = /json|form|\*\/\*/.test(type);
  const value = isValue
    ? valueOf(document, schema, example)
    : /^text|xml|yaml/.test(type)
      ? "text"
      : new Blob(["bytes"], { type: type.includes("*") ? type.replaceAll("*", "png") : type });
  if (type === "multipart/form-data") return { ...input, body: withFiles(document, schema, value) };
  return hasFields ? { ...input, ...(value as object) } : { ...input, body: value };
}

/** Replaces the texts of file fields by files. */
function withFiles(document: Node, schema: object, value: unknown): unknown {
  const { properties = {} } = resolve<{ properties?: Record<string, object> }>(document as never, schema);
  const entries = Object.entries(value ?? {}).map(([name, field]) => {
    const { format, items } = resolve<{ format?: string; items?: { format?: string } }>(
      document as never,
      properties[name] ?? {},
    );
    if (format === "binary") return [name, new Blob(["bytes"])];
    return [name, items?.format === "binary" ? [new Blob(["bytes"])] : (field as unknown)];
  });
  return Object.fromEntries(entries) as object;
}

/** Returns an example, or makes a value of a schema. */
function valueOf(document: Node, schema: object, example: unknown): unknown {
  const value: unknown = exampleValue(document as never, schema as never, "value");
  return value === undefined ? example : value;
}

function replyOf(document: Node, operation: { responses?: Record<string, object> }): Reply {
  const responses = operation.responses ?? {};
  const keys = Object.keys(responses);
  const key = keys.find((each) => /^2\d\d$/.test(each)) ?? keys.find((each) => /^2XX$/i.test(each)) ?? "default";
  const status = /^\d+$/.test(key) ? Number(key) : 200;
  const { content = {} } = resolve<{
    content?: Record<string, { schema?: object; example?: unknown }>;
    headers?: Record<string, object>;
  }>(document as never, responses[key] ?? {});
  const [type] = Object.keys(content).toSorted((one, other) => Number(/json/.test(other)) - Number(/json/.test(one)));
  if (type === undefined || status === 204) return { status, contentType: undefined, body: undefined };
  const { schema = {}, example } = content[type]!;
  const concrete = type.replace("*/*", "application/json").replace("/*", "/plain");
  const isJson = /[/+]json$|json;/.test(concrete);
  const body = isJson ? (valueOf(document, schema, example) ?? {}) : "text";
  return { status, contentType: concrete, body };
}
