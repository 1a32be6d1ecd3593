import type { OpenApiDocument, RequestBodyObject, Schema } from "../document/document.ts";
import { effectiveSchema, propertiesOf } from "../document/effective-schema.ts";
import type { RequestEov } from "../eov.ts";
import { lossIn } from "./json.ts";
import { createProblem } from "../problem.ts";
import type { Subject } from "./subject.ts";

/** The fields of an operation's multipart bodies that are files, alone or in lists, and those whose text EOV parses as JSON. */
export interface MultipartFields {
  files: string[];
  json: string[];
}

/**
 * Has EOV's multer take the bytes of a multipart body apart into fields and files; any other body is left alone. Text in
 * place of a file is refused: to the schema both are strings. So is JSON that `parseJson` refuses.
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

/** Finds the fields of an operation's multipart bodies that are more than text. */
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
