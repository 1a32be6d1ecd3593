import { Readable } from "node:stream";
import type { OpenApiDocument, RequestBodyObject, Schema } from "./document.ts";
import { effectiveSchema, propertiesOf } from "./effective-schema.ts";
import { type Middleware, run } from "./eov.ts";
import { refuse } from "./problem.ts";
import type { Subject } from "./validator.ts";

/** A file of a multipart body, held in memory. */
export interface UploadedFile {
  /** The name of the form field. */
  field: string;
  /** The file's name as the client gives it: no path to trust. */
  name: string;
  contentType: string;
  bytes: Uint8Array;
}

/** multer's name for the same. */
interface MulterFile {
  fieldname: string;
  originalname: string;
  mimetype: string;
  buffer: Buffer;
}

/**
 * Has EOV's multer take the bytes of a multipart body apart into fields and files; any other body is left alone. Text in
 * place of a file is refused: to the schema both are strings.
 */
export async function readMultipart(takeApart: Middleware, subject: Subject, fileFields: string[]): Promise<void> {
  if (!String(subject.headers["content-type"]).startsWith("multipart/")) return;
  const bytes = subject.body as Buffer | undefined;
  const stream = Object.assign(Readable.from(bytes === undefined ? [] : [bytes]), { ...subject, body: {}, files: [] });
  try {
    await run(takeApart, stream);
  } catch {
    throw refuse(400, "The request body is not valid multipart/form-data.");
  }
  subject.body = stream.body;
  subject.files = (stream.files as MulterFile[]).map((file) => {
    return { field: file.fieldname, name: file.originalname, contentType: file.mimetype, bytes: file.buffer };
  });
  const sent = new Set(subject.files.map(({ field }) => field));
  const text = fileFields.find((name) => Object.hasOwn(stream.body, name) && !sent.has(name));
  if (text !== undefined) throw refuse(400, `Body field "${text}" must be a file.`);
}

/** The fields of an operation's multipart bodies that are files, alone or in lists. */
export function fileFieldsOf(document: OpenApiDocument, { content = {} }: RequestBodyObject): string[] {
  const forms = Object.entries(content).filter(([type]) => type.startsWith("multipart/"));
  const fields = forms.flatMap(([, { schema }]) => Object.entries(propertiesOf(effectiveSchema(document, schema))));
  return fields.filter(([, field]) => isFile(document, field)).map(([name]) => name);
}

function isFile(document: OpenApiDocument, node: Schema): boolean {
  const schema = effectiveSchema(document, node);
  return schema["format"] === "binary" || (schema.items !== undefined && isFile(document, schema.items));
}
