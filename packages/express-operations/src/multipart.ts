import { Readable } from "node:stream";
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

/** Has EOV's multer take the bytes of a multipart body apart into fields and files; any other body is left alone. */
export async function readMultipart(takeApart: Middleware, subject: Subject): Promise<void> {
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
}
