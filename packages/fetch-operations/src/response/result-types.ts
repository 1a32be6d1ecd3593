/** A result of any operation. */
export type UntypedResult = SuccessResult | ErrorResult;

/** A declared success. */
export interface SuccessResult {
  ok: true;
  status: number;
  data: unknown;
  response: Response;
  requestId: string | undefined;
  contentType?: string | undefined;
}

/** A declared error, or a failure without a valid response. */
export interface ErrorResult {
  ok: false;
  status: number;
  error: unknown;
  cause?: unknown;
  response: Response | undefined;
  requestId: string | undefined;
}
