import { createProblem, printable, type Problem } from "../problem.ts";

/** The limits of a request body. */
export interface BodyLimits {
  /** Largest request body in bytes. Default: 65,536. */
  bodyLimit: number;
  /** Largest file of a multipart body in bytes. Default: none, so that `bodyLimit` limits it. */
  fileLimit: number;
  /**
   * Most bytes of a multipart body that are no files: all names and values together. They are held in memory. Default:
   * `bodyLimit`, or 65,536 if the body is streamed.
   */
  fieldLimit: number;
  /** Most parts of a multipart body. Default: 1,000. */
  maxParts: number;
}

const BODY_LIMIT = 65_536;

export function limitsOf({ bodyLimit, fileLimit, fieldLimit, maxParts }: Partial<BodyLimits>): BodyLimits {
  return {
    bodyLimit: bodyLimit ?? BODY_LIMIT,
    fileLimit: fileLimit ?? Infinity,
    fieldLimit: fieldLimit ?? Infinity,
    maxParts: maxParts ?? 1_000,
  };
}

/** Returns the limits of a streamed body with their defaults. `own` limits replace those of all operations. */
export function streamedLimitsOf(shared: Partial<BodyLimits>, own: Partial<BodyLimits>): BodyLimits {
  return limitsOf({ ...shared, fieldLimit: shared.fieldLimit ?? BODY_LIMIT, ...own });
}

export function fileTooLarge(field: string, limit: number, isDeclared = false): Problem {
  const name = printable(field, isDeclared);
  const subject = name === undefined ? "A file" : `File ${JSON.stringify(name)}`;
  return createProblem(413, `${subject} in the request body is too large. At most ${limit} bytes are allowed.`);
}

export function fieldsTooLarge(limit: number): Problem {
  return createProblem(413, `The fields of the request body are too large. At most ${limit} bytes are allowed.`);
}

export function tooManyParts(limit: number): Problem {
  return createProblem(413, `The request body has too many parts. At most ${limit} are allowed.`);
}
