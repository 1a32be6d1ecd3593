/** A request as express-openapi-validator reads and rewrites it: coerced in place, defaults filled in. */
export interface Subject {
  method: string;
  originalUrl: string;
  path: string;
  headers: Record<string, unknown>;
  /** Names and values in turn, as they were sent. */
  rawHeaders?: string[];
  params: Record<string, unknown>;
  query: Record<string, unknown>;
  body?: unknown;
  /** The files of a multipart body, once it is validated. */
  files?: UploadedFile[];
  openapi?: unknown;
}

/** A file of a multipart body, held in memory. */
export interface UploadedFile {
  /** The name of the form field. */
  field: string;
  /** The file's name as the client gives it: no path to trust. */
  name: string;
  contentType: string;
  bytes: Uint8Array;
}
