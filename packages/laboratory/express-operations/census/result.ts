/** The result of one document. */
export interface DocumentResult {
  name: string;
  operations: number;
  /** The error at start, if the document does not start. */
  startError?: string;
  startMilliseconds: number;
  /** The causes of operations without a success, with the operations. */
  failures: { operationId: string; cause: string }[];
  /** Invalid requests that were not refused. */
  accepted: { operationId: string; fault: string; cause: string }[];
  invalid: number;
  serverErrors: number;
  /** The longest time of a first and of a later response, in milliseconds. */
  slowestFirst: number;
  slowestLater: number;
  /** The longest time that the event loop was busy with one request, its client included, in milliseconds. */
  longestBusy: number;
}
