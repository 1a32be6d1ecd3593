/** Words that cannot name a constant of a module in strict mode (ECMAScript 2024, section 12.7.2), and globals of generated code. */
export const RESERVED_WORDS: ReadonlySet<string> = new Set(
  "arguments await break case catch class const continue debugger default delete do else enum eval export extends false finally for function if implements import in instanceof interface let new null package private protected public return static super switch this throw true try typeof undefined var void while with yield".split(
    " ",
  ),
);

/** Names that no exported type alias can have. The compiler expects a list after `export type as`. */
const TYPES = new Set("any as bigint boolean never number object string symbol undefined unknown void".split(" "));

const IDENTIFIER = /^[A-Za-z_$][\w$]*$/;

/** Returns whether a string can name a type of TypeScript as it stands. */
export function isTypeName(name: string): boolean {
  return IDENTIFIER.test(name) && !RESERVED_WORDS.has(name) && !TYPES.has(name);
}

/** Returns a name as a key in the code of an object or a type. Quotes it if it is no identifier. */
export function propertyKey(name: string): string {
  return IDENTIFIER.test(name) ? name : JSON.stringify(name);
}
