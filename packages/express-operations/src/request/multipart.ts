import type { OpenApiDocument, RequestBodyObject, Schema } from "../document/document.ts";
import { effectiveSchema, propertiesOf } from "../document/effective-schema.ts";
import type { RequestEov } from "../eov.ts";
import { lossIn } from "./json.ts";
import { createProblem } from "../problem.ts";
import type { Subject } from "./subject.ts";

/** Fields of an operation's multipart bodies: files, alone or in lists, and fields that EOV parses as JSON. */
export interface MultipartFields {
  files: string[];
  json: string[];
}

/**
 * Parses a multipart body into fields and files with EOV's multer; other bodies are unchanged. Rejects text in a file
 * field, because the schema treats text and file alike as strings. Rejects JSON that `parseJson` rejects.
 */
export async function readMultipart(eov: RequestEov, subject: Subject, fields: MultipartFields): Promise<void> {
  if (!String(subject.headers["content-type"]).startsWith("multipart/")) return;
  const { body, files } = await eov.readMultipart(subject).catch(() => {
    throw createProblem(400, "The request body is not valid multipart/form-data.");
  });
  subject.body = body;
  subject.files = files;
  const sent = new Set(files.map(({ field }) => field));
  const text = fields.files.find((name) => Object.hasOwn(body, name) && !sent.has(name));
  if (text !== undefined) throw createProblem(400, `Body field "${text}" must be a file.`);
  for (const name of fields.json) {
    const values = [(body as Record<string, unknown>)[name]].flat();
    const loss = values.every((value) => typeof value === "string") ? lossIn(values.join(",")) : undefined;
    if (loss !== undefined) throw createProblem(400, `Body field "${name}" ${loss}.`);
  }
}

/** Returns the multipart fields of an operation that are files or JSON. */
export function multipartFieldsOf(document: OpenApiDocument, { content = {} }: RequestBodyObject): MultipartFields {
  const forms = Object.entries(content).filter(([type]) => type.startsWith("multipart/"));
  const fields = forms.flatMap(([, { schema }]) => Object.entries(propertiesOf(effectiveSchema(document, schema))));
  const namesOf = (is: (field: Schema) => boolean) => fields.flatMap(([name, field]) => (is(field) ? name : []));
  return {
    files: namesOf((field) => isFile(document, field)),
    json: namesOf(({ type }) => type === "array" || type === "object"),
  };
}

function isFile(document: OpenApiDocument, node: Schema): boolean {
  const schema = effectiveSchema(document, node);
  return schema["format"] === "binary" || (schema.items !== undefined && isFile(document, schema.items));
}
