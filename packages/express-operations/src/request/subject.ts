/** A file of a multipart body, held in memory. */
export interface UploadedFile {
  /** The name of the form field. */
  field: string;
  /** The file name that the client sent. It is not a trusted path. */
  name: string;
  contentType: string;
  bytes: Uint8Array;
}
