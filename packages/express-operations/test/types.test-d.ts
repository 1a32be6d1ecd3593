import { createReadStream } from "node:fs";
import {
  event,
  file,
  type Handler,
  type Handlers,
  implement,
  type Input,
  type Output,
  type ServerSentEvent,
  textEvent,
} from "../src/index.ts";
import { document, type operations } from "./fixtures/bookshop.ts";

/** Checked only by `tsc`: each line after `@ts-expect-error` has an error, and no other line has one. */
interface Env {
  caller: { user: string };
  context: { shelf: string };
}

type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
const is = <_Assertion extends true>() => {};

const handlers = {
  getBook: ({ path, caller, context }) => {
    is<Equal<typeof path.bookId, number>>();
    is<Equal<typeof caller.user, string>>();
    is<Equal<typeof context.shelf, string>>();
    return { status: 200, headers: { ETag: '"1"' }, body: { id: path.bookId, title: context.shelf } };
  },
  addBook: async (input) => {
    if (input.contentType === "text/plain") is<Equal<typeof input.body, string>>();
    else is<Equal<typeof input.body, { title: string }>>();
    return { status: 204 };
  },
  searchBooks: ({ query, cookies, body }) => {
    is<Equal<typeof query.text, string | undefined>>();
    is<Equal<typeof cookies.session, string | undefined>>();
    is<Equal<typeof body, { filter: string } | undefined>>();
    return { status: 200, contentType: "text/csv", body: "id,title" };
  },
} satisfies Handlers<operations, Env>;

const given = {
  security: { key: async (key: string) => key === "ada" && { caller: { user: "Ada" } } },
  context: () => ({ shelf: "A" }),
};
implement<operations, Env>()({ document, handlers, ...given });
// @ts-expect-error handlers expect a caller, so a security handler is required
implement<operations, Env>()({ document, handlers, context: given.context });
// @ts-expect-error handlers expect a context
implement<operations, Env>()({ document, handlers, security: given.security });
implement<operations>()({ document, handlers: {} as Handlers<operations> });

const { getBook: _getBook, ...incomplete } = handlers;
// @ts-expect-error Property 'getBook' is missing
implement<operations, Env>()({ document, handlers: incomplete, ...given });

implement<operations, Env>()({ document, handlers: incomplete, notImplemented: "mock", ...given })
  .missing satisfies string[];
implement<operations>()({
  document,
  notImplemented: "next",
  handlers: {
    getBook: ({ path }) => {
      is<Equal<typeof path.bookId, number>>();
      return { status: 404, body: { code: "not_found" } };
    },
  },
});
implement<operations>()({
  document,
  notImplemented: "501",
  // @ts-expect-error 418 is not declared for getBook
  handlers: { getBook: () => ({ status: 418 }) },
});
// @ts-expect-error 'burnBook' is not an operation
implement<operations>()({ document, notImplemented: "501", handlers: { burnBook: () => ({ status: 200 as const }) } });
// @ts-expect-error "503" is no choice
implement<operations>()({ document, handlers: {}, notImplemented: "503" });
// @ts-expect-error undefined allows no missing handlers
implement<operations>()({ document, handlers: {}, notImplemented: undefined });
implement<operations>()({ document, handlers: {}, notImplemented: "501", unknownPaths: "next" });

const surplus = { ...handlers, burnBook: () => ({ status: 200 as const }) };
// @ts-expect-error 'burnBook' is not an operation
implement<operations, Env>()({ document, handlers: surplus, ...given });

implement<operations, Env>()({
  document,
  ...given,
  handlers: {
    ...handlers,
    // @ts-expect-error 418 is not declared for getBook
    getBook: () => ({ status: 418, body: { code: "teapot" } }),
  },
});

// A handler in a file of its own has the type of its operation.
const getBook: Handler<operations["getBook"], Env> = async ({ path, caller }) => ({
  status: 200,
  headers: { ETag: '"1"' },
  body: { id: path.bookId, title: caller.user },
});
({ ...handlers, getBook }) satisfies Handlers<operations, Env>;
implement<operations, Env>()({ document, ...given, handlers: { ...handlers, getBook } });
const cacheable = { handler: getBook, isCacheable: true };
implement<operations, Env>()({ document, ...given, handlers: { ...handlers, getBook: cacheable } });

type GetBook = Output<operations["getBook"]>;
const ok = { status: 200, headers: { ETag: '"1"' }, body: { id: 1, title: "Emma" } } as const;
ok satisfies GetBook;
({ status: 404, body: { code: "not_found" } }) satisfies GetBook;
({ status: 503, body: { retry: true } }) satisfies GetBook;
({ ...ok, headers: { ETag: '"1"', "X-Shelf": "A" } }) satisfies GetBook;
// @ts-expect-error the header ETag is declared as required
({ status: 200, body: ok.body }) satisfies GetBook;
// @ts-expect-error the header X-Shelf is a string
({ status: 200, body: ok.body, headers: { ETag: '"1"', "X-Shelf": 1 } }) satisfies GetBook;
// @ts-expect-error the header X-Room is not declared
({ status: 200, body: ok.body, headers: { ETag: '"1"', "X-Room": "1" } }) satisfies GetBook;
// @ts-expect-error the field cost is not declared
({ ...ok, body: { id: 1, title: "Emma", cost: 3 } }) satisfies GetBook;
// @ts-expect-error the field cost is not declared in a result with an explicit type either
(): GetBook => ({ status: 200, headers: { ETag: '"1"' }, body: { id: 1, title: "Emma", cost: 3 } });
// @ts-expect-error the body of 404 is a fault
({ status: 404, body: ok.body }) satisfies GetBook;
// @ts-expect-error the body of 200 has a title
({ status: 200, headers: { ETag: '"1"' }, body: { id: 1 } }) satisfies GetBook;
// @ts-expect-error 503 falls under 5XX, which has another body
({ status: 503, body: { code: "down" } }) satisfies GetBook;

type AddBook = Output<operations["addBook"]>;
({ status: 204 }) satisfies AddBook;
({ status: 409, body: { code: "exists" } }) satisfies AddBook;
({ status: 302, body: { code: "moved" } }) satisfies AddBook;
// @ts-expect-error 204 has no body
({ status: 204, body: { code: "x" } }) satisfies AddBook;
// @ts-expect-error beside the 204, default is for errors alone
({ status: 200, body: { code: "exists" } }) satisfies AddBook;
// @ts-expect-error 400 falls under default, which has a fault as its body
({ status: 400, body: ok.body }) satisfies AddBook;
// @ts-expect-error 299 is not an HTTP status code
({ status: 299, body: { code: "x" } }) satisfies AddBook;

type SearchBooks = Output<operations["searchBooks"]>;
({ status: 200, contentType: "application/json", body: [ok.body] }) satisfies SearchBooks;
// @ts-expect-error with two media types, contentType is required
({ status: 200, body: "id,title" }) satisfies SearchBooks;
// @ts-expect-error JSON is a list of books
({ status: 200, contentType: "application/json", body: "id,title" }) satisfies SearchBooks;

is<Equal<Input<operations["addBook"]>["path"], Record<never, never>>>();

/** Without a declared 2xx, or its range, `default` is for each status. */
type Default = Output<{ responses: { 404: unknown; default: { content: { "text/plain": string } } } }>;
({ status: 200, body: "" }) satisfies Default;
type Ranges = Output<{ responses: { "2XX": unknown; default: { content: { "text/plain": string } } } }>;
({ status: 206 }) satisfies Ranges;
// @ts-expect-error the range declares each 2xx
({ status: 200, body: "" }) satisfies Ranges;

/** openapi-typescript 6 wrote `content: never` for a response without content. */
type Emptied = Output<{ responses: { 204: { content: never } } }>;
({ status: 204 }) satisfies Emptied;
// @ts-expect-error 204 has no body
({ status: 204, body: {} }) satisfies Emptied;

interface WithIgnoredHeaders {
  responses: Record<200, unknown>;
  parameters: { header: { Authorization: string; "content-type"?: string; "X-Other"?: string } };
}
// OpenAPI ignores the declarations of these headers, so handlers do not receive them.
is<Equal<Input<WithIgnoredHeaders>["headers"], { "X-Other"?: string }>>();

type Cookies = Output<{
  responses: { 204: { headers: { "set-cookie"?: string; Link?: string; [name: string]: unknown }; content?: never } };
}>;
({ status: 204, headers: { "set-cookie": ["a=1", "b=2"] } }) satisfies Cookies;
({ status: 204, headers: { "set-cookie": "a=1", Link: "</>" } }) satisfies Cookies;
// @ts-expect-error only Set-Cookie has several lines
({ status: 204, headers: { Link: ["</>"] } }) satisfies Cookies;

interface Upload {
  responses: Record<204, unknown>;
  requestBody: { content: { "image/*": string; "application/json": object; "application/*+json": object } };
}
// The media type of a range is the received one.
is<Equal<Input<Upload>["contentType"], `image/${string}` | "application/json" | `application/${string}+json`>>();
is<Equal<Input<Upload>["callers"], Readonly<Record<string, unknown>>>>();

/** The header that `withRequestDefaultsRequired` declares in place of `security`. */
interface With<Credentials> {
  responses: Record<204, unknown>;
  parameters: { query?: never; header?: { Authorization?: Credentials }; path?: never; cookie?: never };
}
type InputWith<Credentials> = Input<With<Credentials>, Env>;
type None = Record<string, never>;
interface Key {
  key: unknown;
}
is<Equal<InputWith<None>["caller"], undefined>>();
is<Equal<InputWith<Key>["caller"], Env["caller"]>>();
is<Equal<InputWith<Key | None>["caller"], Env["caller"] | undefined>>();
is<Equal<InputWith<Key>["callers"], Readonly<Record<"key", Env["caller"]>>>>();
is<Equal<InputWith<Key | { user: unknown } | None>["callers"], { readonly [S in "key" | "user"]?: Env["caller"] }>>();
is<Equal<InputWith<Key>["headers"], Record<never, never>>>();
// Other types say nothing about security.
is<Equal<InputWith<string>["caller"], Env["caller"]>>();
is<Equal<InputWith<string>["callers"], Readonly<Record<string, Env["caller"]>>>>();
implement<{ get: With<None> }, Env>()({
  document,
  ...given,
  handlers: {
    get: ({ caller }) => {
      // @ts-expect-error an operation without security has no caller
      void caller.user;
      return { status: 204 };
    },
  },
});

interface Token {
  text: string;
}
/** The output of openapi-typescript for streams. */
interface Streaming {
  responses: {
    200: {
      headers: { [name: string]: unknown };
      content: {
        "text/event-stream": Token;
        "application/jsonl": Token;
        "text/csv": string;
        "application/json": Token;
      };
    };
  };
}
type Stream = Output<Streaming>;
async function* of<Item>(...items: Item[]): AsyncGenerator<Item> {
  yield* items;
}
const events = { status: 200, contentType: "text/event-stream" } as const;
({ ...events, body: of({ text: "a" }) }) satisfies Stream;
const mixed = of<Token | ServerSentEvent<Token>>(event({ id: "1", data: { text: "a" } }), textEvent("[DONE]"));
({ ...events, body: mixed }) satisfies Stream;
({ ...events, body: createReadStream("events") }) satisfies Stream;
({ ...events, body: new Response("").body! }) satisfies Stream;
// @ts-expect-error the items are tokens
({ ...events, body: of({ text: 1 }) }) satisfies Stream;
// @ts-expect-error the data of the items are tokens
({ ...events, body: of(event({ data: { text: 1 } })) }) satisfies Stream;
// @ts-expect-error one item is no stream
({ ...events, body: { text: "a" } }) satisfies Stream;

const lines = { status: 200, contentType: "application/jsonl" } as const;
({ ...lines, body: of({ text: "a" }) }) satisfies Stream;
// @ts-expect-error only an event stream has events
({ ...lines, body: of(event({ data: { text: "a" } })) }) satisfies Stream;
// @ts-expect-error the items are tokens
({ ...lines, body: of("a") }) satisfies Stream;

const csv = { status: 200, contentType: "text/csv" } as const;
({ ...csv, body: await file("a.csv") }) satisfies Stream;
({ ...csv, body: new Blob(["a"]) }) satisfies Stream;
({ ...csv, body: of<string | Uint8Array>("a", new Uint8Array()) }) satisfies Stream;
({ ...csv, body: ReadableStream.from(["a"]) }) satisfies Stream;
// @ts-expect-error a body of text has no items
({ ...csv, body: of({ text: "a" }) }) satisfies Stream;
// @ts-expect-error the body of application/json is a value
({ status: 200, contentType: "application/json", body: createReadStream("a.json") }) satisfies Stream;

is<Equal<Input<Streaming>["signal"], AbortSignal>>();
is<Equal<Input<Streaming>["lastEventId"], string | undefined>>();

/** The items of a generator get their types from the document, so that literals stay literals. */
interface Typed {
  responses: { 200: { content: { "text/event-stream": { kind: "start" | "end" } } } };
}
implement<{ run: Typed }>()({
  document,
  handlers: {
    run: () => ({
      status: 200,
      body: (async function* () {
        yield { kind: "start" };
        yield event({ id: "1", data: { kind: "end" } });
      })(),
    }),
  },
});

/** Types as the program of docs/guides/formats.md writes them. */
interface Converted {
  putEvent: {
    parameters: { path: { id: bigint }; query?: { after?: Date } };
    requestBody: { content: { "application/json": { at: Date; previous: (bigint | null)[] } } };
    responses: {
      200: { headers: { "X-At": Date; [name: string]: unknown }; content: { "application/json": { at: Date } } };
    };
  };
}

({
  putEvent: ({ path, query, body }) => {
    is<Equal<typeof path.id, bigint>>();
    is<Equal<typeof query.after, Date | undefined>>();
    is<Equal<typeof body, { at: Date; previous: (bigint | null)[] }>>();
    return { status: 200, headers: { "X-At": body.at }, body: { at: body.at } };
  },
}) satisfies Handlers<Converted>;
// @ts-expect-error -- a string is no Date
({ status: 200, headers: { "X-At": new Date() }, body: { at: "now" } }) satisfies Output<Converted["putEvent"]>;
