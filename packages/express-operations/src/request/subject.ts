/**
 * A request in the form that express-openapi-validator validates. Validation coerces its values and fills in defaults
 * in place.
 */
export interface Subject {
  method: string;
  originalUrl: string;
  path: string;
  headers: Record<string, unknown>;
  /** Names and values alternately, as sent. */
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
  /** The file name that the client sent. It is not a trusted path. */
  name: string;
  contentType: string;
  bytes: Uint8Array;
}
