import { describe, expect, test } from "vitest";
import { COMPILERS, compile, packageFile } from "./compile.ts";

const handlers = {
  getBook: '() => ({ status: 200, headers: { ETag: "1" }, body: { id: 1, title: "Emma" } })',
  addBook: "() => ({ status: 204 })",
  searchBooks: "() => ({ status: 200, contentType: 'text/csv', body: '' })",
};

/** Mistakes, each with what the first line of the compiler's message has to say, and its lines if there are more than five. */
const MISTAKES: Record<string, { code: Record<string, string>; says: RegExp; lines?: number }> = {
  "a forgotten handler": { code: { searchBooks: "" }, says: /Property 'searchBooks' is missing/ },
  "a misspelt operationId": {
    code: { searchBooks: "", searchBook: handlers.searchBooks },
    says: /'searchBook' does not exist .* Did you mean to write 'searchBooks'\?/,
  },
  "a handler too many": { code: { burnBook: "() => ({ status: 204 })" }, says: /NotAnOperation<"burnBook">/ },
  "a misspelt parameter": {
    code: { searchBooks: "({ query }) => ({ status: 200, contentType: 'text/csv', body: query.txt ?? '' })" },
    says: /Property 'txt' does not exist .* Did you mean 'text'\?/,
  },
  "an undeclared status": {
    code: { searchBooks: "() => ({ status: 418 })" },
    says: /418; }' is not assignable to type 'HandlerOf<"searchBooks", /,
  },
  "an undeclared status beside ranges": {
    code: { getBook: "() => ({ status: 418 })" },
    says: /418; }' is not assignable to type 'HandlerOf<"getBook", /,
  },
  "an undeclared status of a handler with options": {
    code: { getBook: "{ isCacheable: true, handler: () => ({ status: 418 }) }" },
    says: /Type '418' is not assignable to type '/,
  },
  "an undeclared status, async": {
    code: { getBook: "async () => ({ status: 418 })" },
    says: /Of<"getBook", /,
    lines: 6,
  },
  "an undeclared status in a block": { code: { getBook: "() => { return { status: 418 }; }" }, says: /Of<"getBook", / },
  "an undeclared status in an async block": {
    code: {
      searchBooks:
        "async ({ query }) => { if (query.text) return { status: 418 }; return { status: 200, contentType: 'text/csv', body: '' }; }",
    },
    says: /HandlerOf<"searchBooks", /,
    lines: 9,
  },
  "an error body as a success": {
    code: { addBook: "() => ({ status: 200, body: { code: 'exists' } })" },
    says: /HandlerOf<"addBook", /,
    lines: 7,
  },
  "a missing media type": { code: { searchBooks: "() => ({ status: 200, body: '' })" }, says: /Of<"searchBooks", / },
  "a missing header": {
    code: { getBook: "() => ({ status: 200, body: { id: 1, title: 'Emma' } })" },
    says: /HandlerOf<"getBook", /,
  },
  "no result": { code: { getBook: "async () => {}" }, says: /HandlerOf<"getBook", / },
  "a wrong field, async": {
    code: { getBook: "async () => ({ status: 200, headers: { ETag: '1' }, body: { id: '1', title: 'Emma' } })" },
    says: /HandlerOf<"getBook", /,
    lines: 8,
  },
};

const names = Object.keys(MISTAKES);
const ANNOTATED = `const annotated: Handlers<operations> = {${membersOf({ getBook: "() => ({ status: 418 })" })}};`;
const program = [
  `import { type Handlers, implement } from "${packageFile("src/index.ts")}";`,
  `import { document, type operations } from "${packageFile("test/fixtures/bookshop.ts")}";`,
  ...names.map((name) => `implement<operations>()({ document, handlers: {${membersOf(MISTAKES[name]!.code)}} });`),
  `${ANNOTATED} implement<operations>()({ document, handlers: annotated });`,
].join("\n");

describe.each(COMPILERS)("%s reports once, in few lines, the first with the operation or the status", (compiler) => {
  const output = compile(program, compiler);
  const messages = output.split(/^(?=\S)/m);
  const messagesOf = (index: number) => messages.filter((message) => message.includes(`program.mts(${index + 3},`));
  test.each(names)("%s", (name) => {
    const { says, lines = 5 } = MISTAKES[name]!;
    const own = messagesOf(names.indexOf(name));
    expect(own).toHaveLength(1);
    const [first, ...others] = own[0]!.trimEnd().split("\n");
    expect(first).toMatch(says);
    expect(1 + others.length).toBeLessThanOrEqual(lines);
  });
  test("an undeclared status in a constant with the type of all handlers", () => {
    expect(messagesOf(names.length)).toEqual([expect.stringMatching(/418; }' is not assignable to type 'HandlerOf</)]);
  });
});

/** The handlers with changed ones in their places. An empty string stands for none. */
function membersOf(changed: Record<string, string>): string {
  const members = Object.entries({ ...handlers, ...changed }).filter(([, code]) => code !== "");
  return members.map(([id, code]) => `${id}: ${code}`).join(", ");
}
