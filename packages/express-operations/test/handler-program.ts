import { operationsOf, type OperationEntry, type ResponseObject, resolve, type Schema } from "openapi-document";
import type { OpenApiDocument } from "../src/index.ts";
import { packageFile } from "./compile.ts";

const PLACES = { path: "path", query: "query", querystring: "query", header: "headers", cookie: "cookies" } as const;
const SAMPLES: Record<string, string> = { integer: "1", number: "1", boolean: "true" };

/**
 * Writes a program for the compiler to check: `implement` with a handler for each operation of a document. Each handler
 * reads every declared parameter and returns every declared response. `types` is the file that declares `operations`;
 * `instead` replaces the code of some handlers.
 */
export function handlerProgram(document: OpenApiDocument, types: string, instead: Record<string, string> = {}): string {
  const written = operationsOf(document).map((entry) => ({ id: entry.id, ...handlerOf(document, entry) }));
  return [
    `import { implement, type OpenApiDocument } from "${packageFile("src/index.ts")}";`,
    `import type { operations } from "${types}";`,
    "declare const document: OpenApiDocument;",
    ...written.flatMap(({ declarations }) => declarations),
    "implement<operations>()({ document, handlers: {",
    ...written.map(({ id, code }) => `${JSON.stringify(id)}: ${instead[id] ?? code},`),
    "} });",
  ].join("\n");
}

function handlerOf(document: OpenApiDocument, { id, operation, parameters }: OperationEntry) {
  const reads = parameters.map((parameter) => `input.${PLACES[parameter.in]}[${JSON.stringify(parameter.name)}]`);
  if (operation.requestBody !== undefined) reads.push("input.contentType", "input.body");
  const declarations: string[] = [];
  const answers: string[] = [];
  for (const [status, node] of Object.entries(operation.responses ?? {})) {
    const response = resolve<ResponseObject>(document, node);
    const answer = [`status: ${status}`, ...sentHeaders(document, response)];
    const [contentType, another] = Object.keys(response.content ?? {});
    if (contentType !== undefined) {
      const body = `${id.replaceAll(/\W/g, "_")}_${status}`;
      const place = ["responses", Number(status), "content", contentType].map((key) => `[${JSON.stringify(key)}]`);
      declarations.push(`declare const ${body}: operations[${JSON.stringify(id)}]${place.join("")};`);
      if (another !== undefined) answer.push(`contentType: ${JSON.stringify(contentType)}`);
      answer.push(`body: ${body}`);
    }
    answers.push(`if (input.requestPath === "${status}") return { ${answer.join(", ")} };`);
  }
  const code = `(input) => { void [${reads.join(", ")}]; ${answers.join(" ")} throw new Error(); }`;
  return { code, declarations };
}

function sentHeaders(document: OpenApiDocument, response: ResponseObject): string[] {
  const headers = Object.entries(response.headers ?? {}).map(([name, node]) => {
    const header = resolve<{ schema?: Schema }>(document, node);
    const { type } = resolve<Schema>(document, header.schema ?? {});
    return `${JSON.stringify(name)}: ${SAMPLES[String(type)] ?? '""'}`;
  });
  return headers.length === 0 ? [] : [`headers: { ${headers.join(", ")} }`];
}
