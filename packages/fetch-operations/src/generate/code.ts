/** Code within data that `codeOf` prints as it stands. */
export class Code {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

/** Prints data as TypeScript, like JSON, with `Code` as it stands. Fields that are undefined are left out. */
export function codeOf(value: unknown): string {
  const codes: string[] = [];
  const json = JSON.stringify(
    value,
    (_key, part: unknown) => (part instanceof Code ? `\u0000${codes.push(part.text) - 1}\u0000` : part),
    2,
  );
  return json.replaceAll(/"\\u0000(\d+)\\u0000"/g, (_, index: string) => codes[Number(index)]!);
}
