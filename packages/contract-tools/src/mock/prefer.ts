/** The preferences of a `Prefer` header that a mock can meet. */
export interface Preferences {
  /** The status of the response. */
  code?: number;
  /** The name of the example to respond with. */
  example?: string;
  /** Whether the body is made from the schema, in place of an example. */
  dynamic?: true;
  /** The seed of a made body; the same seed gives the same body. */
  seed?: number;
}

const QUOTED = String.raw`"(?:\\.|[^"\\])*"`;
const PREFERENCE = new RegExp(String.raw`(?:${QUOTED}|[^,"])+`, "g");
const TOKEN_AND_WORD = new RegExp(String.raw`^\s*([^\s=;"]+)\s*(?:=\s*(${QUOTED}|[^\s;"]+))?`);

/** Parses a `Prefer` header (RFC 7240, section 2). Names are case-insensitive, the first of each counts, others are ignored. */
export function preferencesOf(header: string | string[] | undefined): Preferences {
  const found = new Map<string, string>();
  for (const [preference] of [header ?? ""].flat().join(",").matchAll(PREFERENCE)) {
    const [, token, word = ""] = TOKEN_AND_WORD.exec(preference) ?? [];
    const name = token?.toLowerCase();
    if (name !== undefined && !found.has(name)) found.set(name, unquoted(word));
  }
  const [code, example] = [found.get("code"), found.get("example")];
  return {
    ...(code !== undefined && /^[2-5]\d\d$/.test(code) && { code: Number(code) }),
    ...(example !== undefined && example !== "" && { example }),
    ...(found.get("dynamic")?.toLowerCase() === "true" && { dynamic: true }),
    ...(/^\d{1,9}$/.test(found.get("seed") ?? "") && { seed: Number(found.get("seed")) }),
  };
}

function unquoted(word: string): string {
  return word.startsWith('"') ? word.slice(1, -1).replaceAll(/\\(.)/g, "$1") : word;
}
