/** The result of one document. */
export interface DocumentResult {
  name: string;
  operations: number;
  /** The error at start, if the document does not start. */
  startError?: string;
  /** The causes of operations without a success, with the operations. */
  failures: { operationId: string; cause: string }[];
  /** Invalid requests that were not refused. */
  accepted: { operationId: string; cause: string }[];
  invalid: number;
}
