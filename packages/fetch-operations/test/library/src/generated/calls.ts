// Generated from the contract by fetch-operations. Do not edit.
import type { Call as CallOf, Items as ItemsOf, Page as PageOf } from "fetch-operations";
import type { BinaryBody, CallOptions, DataOf, EmptyError, ErrorResponse, ErrorStatus, EventStream, Failure, Fields, In, ItemOf, Multipart, ResponseStatus, StatusOf, Success, SuccessOfType, UndeclaredError } from "fetch-operations";
import type { paths } from "./schema.ts";

/** The input of `listBooks`: its parameters. */
export interface ListBooksInput extends Fields<In<paths["/books"]["get"], "query"> & Pick<In<paths["/books"]["get"], "header">, "X-Fields" | "X-Shelf"> & In<paths["/books"]["get"], "cookie">> {
  cursor?: Exclude<In<paths["/books"]["get"], "query">["cursor"], undefined>;
}

/** The results of `listBooks`. */
export type ListBooksResult =
  | Success<200, paths["/books"]["get"]["responses"][200]["content"]["application/json"]>
  | ErrorResponse<304, EmptyError>
  | ErrorResponse<StatusOf<4>, string>
  | ErrorResponse<Exclude<ErrorStatus, StatusOf<4>>, paths["/books"]["get"]["responses"]["default"]["content"]["application/json"]>
  | ErrorResponse<Exclude<ResponseStatus, 200 | 304 | ErrorStatus>, UndeclaredError>
  | Failure;

/** The input of `addBook`: its parameters and body. */
export interface AddBookInput extends Fields<In<paths["/books"]["post"], "header"> & NonNullable<paths["/books"]["post"]["requestBody"]>["content"]["application/json"]> {
  "Request-Key"?: Exclude<In<paths["/books"]["post"], "header">["Request-Key"], undefined>;
}

/** The results of `addBook`. */
export type AddBookResult =
  | Success<201, paths["/books"]["post"]["responses"][201]["content"]["application/json"]>
  | ErrorResponse<409, paths["/books"]["post"]["responses"][409]["content"]["application/json"]>
  | ErrorResponse<Exclude<ErrorStatus, 409>, paths["/books"]["post"]["responses"]["default"]["content"]["application/json"]>
  | ErrorResponse<Exclude<ResponseStatus, 201 | ErrorStatus>, UndeclaredError>
  | Failure;

/** The input of `getBook`: its parameters. */
export interface GetBookInput extends Fields<In<paths["/books/{id}"]["get"], "path">> {
  id: In<paths["/books/{id}"]["get"], "path">["id"];
}

/** The results of `getBook`. */
export type GetBookResult =
  | Success<200, paths["/books/{id}"]["get"]["responses"][200]["content"]["application/json"]>
  | ErrorResponse<404, EmptyError>
  | ErrorResponse<Exclude<ResponseStatus, 200 | 404>, UndeclaredError>
  | Failure;

/** The input of `replaceBook`: its parameters and body. */
export interface ReplaceBookInput {
  "path.id": In<paths["/books/{id}"]["put"], "path">["id"];
  "query.id": In<paths["/books/{id}"]["put"], "query">["id"];
  "query.shelf"?: Exclude<In<paths["/books/{id}"]["put"], "query">["shelf"], undefined>;
  "header.shelf"?: Exclude<In<paths["/books/{id}"]["put"], "header">["shelf"], undefined>;
  body?: NonNullable<paths["/books/{id}"]["put"]["requestBody"]>["content"]["application/json"];
}

/** The results of `replaceBook`. */
export type ReplaceBookResult =
  | Success<202, undefined>
  | Success<204, undefined>
  | ErrorResponse<500, EmptyError>
  | ErrorResponse<Exclude<ResponseStatus, 202 | 204 | 500>, UndeclaredError>
  | Failure;

/** The input of `delete_`: its parameters. */
export interface DeleteInput extends Fields<In<paths["/books/{id}"]["delete"], "path">> {
  id: In<paths["/books/{id}"]["delete"], "path">["id"];
}

/** The results of `delete_`. */
export type DeleteResult =
  | Success<204, undefined>
  | ErrorResponse<400, EmptyError>
  | ErrorResponse<Exclude<ResponseStatus, 204 | 400>, UndeclaredError>
  | Failure;

/** The input of `peekBook`: its parameters. */
export interface PeekBookInput extends Fields<In<paths["/books/{id}"]["head"], "path">> {
  id: In<paths["/books/{id}"]["head"], "path">["id"];
}

/** The results of `peekBook`. */
export type PeekBookResult =
  | Success<200, undefined>
  | ErrorResponse<Exclude<ResponseStatus, 200>, UndeclaredError>
  | Failure;

/** The input of `getCover`: its parameters. */
export interface GetCoverInput extends Fields<In<paths["/books/{id}/cover"]["get"], "path">> {
  id: In<paths["/books/{id}/cover"]["get"], "path">["id"];
}

/** The results of `getCover`. */
export type GetCoverResult =
  | SuccessOfType<200, Blob, "image/png">
  | SuccessOfType<200, paths["/books/{id}/cover"]["get"]["responses"][200]["content"]["application/json"], "application/json">
  | SuccessOfType<200, string, "text/csv">
  | ErrorResponse<Exclude<ResponseStatus, 200>, UndeclaredError>
  | Failure;

/** The input of `putCover`: its parameters and body. */
export interface PutCoverInput extends Fields<In<paths["/books/{id}/cover"]["put"], "path">> {
  body: BinaryBody;
}

/** The results of `putCover`. */
export type PutCoverResult =
  | Success<StatusOf<2>, undefined>
  | ErrorResponse<StatusOf<5>, EmptyError>
  | ErrorResponse<Exclude<ResponseStatus, StatusOf<2> | StatusOf<5>>, UndeclaredError>
  | Failure;

/** The input of `addCovers`: its parameters and body. */
export interface AddCoversInput extends Fields<In<paths["/books/{id}/cover"]["post"], "path">> {
  body: Multipart<NonNullable<paths["/books/{id}/cover"]["post"]["requestBody"]>["content"]["multipart/form-data"]>;
}

/** The results of `addCovers`. */
export type AddCoversResult =
  | Success<StatusOf<2>, undefined>
  | ErrorResponse<ErrorStatus, EmptyError>
  | ErrorResponse<Exclude<ResponseStatus, StatusOf<2> | ErrorStatus>, UndeclaredError>
  | Failure;

/** The input of `search`: its parameters and body. */
export type SearchInput = Fields<In<paths["/search"]["post"], "query">> & (
  | { body: NonNullable<paths["/search"]["post"]["requestBody"]>["content"]["application/vnd.library+json"]; contentType?: "application/vnd.library+json" }
  | { body: string; contentType: "text/plain" }
  | { body: NonNullable<paths["/search"]["post"]["requestBody"]>["content"]["application/x-www-form-urlencoded"]; contentType: "application/x-www-form-urlencoded" }
  | { body?: undefined }
);

/** The results of `search`. */
export type SearchResult =
  | Success<200, paths["/search"]["post"]["responses"][200]["content"]["*/*"]>
  | ErrorResponse<Exclude<ResponseStatus, 200>, UndeclaredError>
  | Failure;

/** The input of `listLoans`: its parameters. */
export interface ListLoansInput extends Fields<In<paths["/loans"]["get"], "query">> {
  offset?: Exclude<In<paths["/loans"]["get"], "query">["offset"], undefined>;
}

/** The results of `listLoans`. */
export type ListLoansResult =
  | Success<200, paths["/loans"]["get"]["responses"][200]["content"]["application/json"]>
  | ErrorResponse<Exclude<ResponseStatus, 200>, UndeclaredError>
  | Failure;

/** The input of `lend`: its body. */
export interface LendInput extends Fields<NonNullable<paths["/loans"]["post"]["requestBody"]>["content"]["application/json"]> {
  book?: Exclude<NonNullable<paths["/loans"]["post"]["requestBody"]>["content"]["application/json"]["book"], undefined>;
}

/** The results of `lend`. */
export type LendResult =
  | Success<200, paths["/loans"]["post"]["responses"][200]["content"]["application/json"]>
  | ErrorResponse<Exclude<ResponseStatus, 200>, UndeclaredError>
  | Failure;

/** The input of `authors`: its parameters. */
export interface AuthorsInput extends Fields<In<paths["/authors"]["get"], "query">> {
  page?: Exclude<In<paths["/authors"]["get"], "query">["page"], undefined>;
}

/** The results of `authors`. */
export type AuthorsResult =
  | Success<200, paths["/authors"]["get"]["responses"][200]["content"]["application/json"]>
  | ErrorResponse<Exclude<ResponseStatus, 200>, UndeclaredError>
  | Failure;

/** The input of `refreshAuthors`: its body. */
export interface RefreshAuthorsInput extends Fields<NonNullable<paths["/authors"]["post"]["requestBody"]>["content"]["application/json"]> {
}

/** The results of `refreshAuthors`. */
export type RefreshAuthorsResult =
  | Success<204, undefined>
  | ErrorResponse<Exclude<ResponseStatus, 204>, UndeclaredError>
  | Failure;

/** The input of `watch`: no parameters and no body. */
export type WatchInput = Record<string, never>;

/** The results of `watch`. */
export type WatchResult =
  | Success<200, EventStream<paths["/events"]["get"]["responses"][200]["content"]["text/event-stream"]>>
  | ErrorResponse<Exclude<ResponseStatus, 200>, UndeclaredError>
  | Failure;

/** The input of `follow`: its body. */
export type FollowInput = (
  | { body: string; contentType?: "text/plain" }
  | { body: BinaryBody; contentType: "image/png" }
);

/** The results of `follow`. */
export type FollowResult =
  | Success<200, EventStream<paths["/events"]["post"]["responses"][200]["content"]["text/event-stream"]>>
  | ErrorResponse<Exclude<ResponseStatus, 200>, UndeclaredError>
  | Failure;

/** The input of `readLines`: no parameters and no body. */
export type ReadLinesInput = Record<string, never>;

/** The results of `readLines`. */
export type ReadLinesResult =
  | Success<200, AsyncIterableIterator<paths["/lines"]["get"]["responses"][200]["content"]["application/jsonl"]>>
  | ErrorResponse<Exclude<ResponseStatus, 200>, UndeclaredError>
  | Failure;

/** A method for each operation. */
export interface ByOperation {
  /**
   * List books
   * by title
   *
   * Returns a page.
   *
   * The header `Link` leads to the next page.
   */
  listBooks: (input?: ListBooksInput, options?: CallOptions) => CallOf<ListBooksResult>;
  addBook: (input: AddBookInput, options?: CallOptions) => CallOf<AddBookResult>;
  /**
   * @deprecated Will be removed on 2030-12-05. Use `list-books`.
   */
  getBook: (input: GetBookInput, options?: CallOptions) => CallOf<GetBookResult>;
  replaceBook: (input: ReplaceBookInput, options?: CallOptions) => CallOf<ReplaceBookResult>;
  delete_: (input: DeleteInput, options?: CallOptions) => CallOf<DeleteResult>;
  peekBook: (input: PeekBookInput, options?: CallOptions) => CallOf<PeekBookResult>;
  getCover: (input: GetCoverInput, options?: CallOptions) => CallOf<GetCoverResult>;
  /**
   * @deprecated
   */
  putCover: (input: PutCoverInput, options?: CallOptions) => CallOf<PutCoverResult>;
  addCovers: (input: AddCoversInput, options?: CallOptions) => CallOf<AddCoversResult>;
  search: (input?: SearchInput, options?: CallOptions) => CallOf<SearchResult>;
  listLoans: (input?: ListLoansInput, options?: CallOptions) => CallOf<ListLoansResult>;
  lend: (input?: LendInput, options?: CallOptions) => CallOf<LendResult>;
  authors: (input?: AuthorsInput, options?: CallOptions) => CallOf<AuthorsResult>;
  refreshAuthors: (input?: RefreshAuthorsInput, options?: CallOptions) => CallOf<RefreshAuthorsResult>;
  watch: (input?: WatchInput, options?: CallOptions) => CallOf<WatchResult>;
  follow: (input: FollowInput, options?: CallOptions) => CallOf<FollowResult>;
  readLines: (input?: ReadLinesInput, options?: CallOptions) => CallOf<ReadLinesResult>;
}

/** The operations with pages. */
export interface ByPage {
  /**
   * List books
   * by title
   *
   * Returns a page.
   *
   * The header `Link` leads to the next page.
   */
  listBooks: (input?: ListBooksInput, options?: CallOptions) => ItemsOf<ListBooksResult, ItemOf<DataOf<ListBooksResult>>>;
  listLoans: (input?: ListLoansInput, options?: CallOptions) => ItemsOf<ListLoansResult, ItemOf<DataOf<ListLoansResult>, ["a/b~", "items"]>>;
  authors: (input?: AuthorsInput, options?: CallOptions) => ItemsOf<AuthorsResult, ItemOf<DataOf<AuthorsResult>>>;
}

/** The operations, with the response of a success in place of its data. Its body can still be read. */
export interface Raw {
  listBooks: (input?: ListBooksInput, options?: CallOptions) => Promise<Response>;
  addBook: (input: AddBookInput, options?: CallOptions) => Promise<Response>;
  getBook: (input: GetBookInput, options?: CallOptions) => Promise<Response>;
  replaceBook: (input: ReplaceBookInput, options?: CallOptions) => Promise<Response>;
  delete_: (input: DeleteInput, options?: CallOptions) => Promise<Response>;
  peekBook: (input: PeekBookInput, options?: CallOptions) => Promise<Response>;
  getCover: (input: GetCoverInput, options?: CallOptions) => Promise<Response>;
  putCover: (input: PutCoverInput, options?: CallOptions) => Promise<Response>;
  addCovers: (input: AddCoversInput, options?: CallOptions) => Promise<Response>;
  search: (input?: SearchInput, options?: CallOptions) => Promise<Response>;
  listLoans: (input?: ListLoansInput, options?: CallOptions) => Promise<Response>;
  lend: (input?: LendInput, options?: CallOptions) => Promise<Response>;
  authors: (input?: AuthorsInput, options?: CallOptions) => Promise<Response>;
  refreshAuthors: (input?: RefreshAuthorsInput, options?: CallOptions) => Promise<Response>;
  watch: (input?: WatchInput, options?: CallOptions) => Promise<Response>;
  follow: (input: FollowInput, options?: CallOptions) => Promise<Response>;
  readLines: (input?: ReadLinesInput, options?: CallOptions) => Promise<Response>;
}

/** The results of each operation. */
export interface Results {
  listBooks: ListBooksResult;
  addBook: AddBookResult;
  getBook: GetBookResult;
  replaceBook: ReplaceBookResult;
  delete_: DeleteResult;
  peekBook: PeekBookResult;
  getCover: GetCoverResult;
  putCover: PutCoverResult;
  addCovers: AddCoversResult;
  search: SearchResult;
  listLoans: ListLoansResult;
  lend: LendResult;
  authors: AuthorsResult;
  refreshAuthors: RefreshAuthorsResult;
  watch: WatchResult;
  follow: FollowResult;
  readLines: ReadLinesResult;
}

/** The items of each operation with pages. */
export interface PageItems {
  listBooks: ItemOf<DataOf<ListBooksResult>>;
  listLoans: ItemOf<DataOf<ListLoansResult>, ["a/b~", "items"]>;
  authors: ItemOf<DataOf<AuthorsResult>>;
}

/** The names of the operations. */
export type OperationId = keyof Results;

/** The result of a call, a union to branch on by `ok` or `status`. Status 0 is a `Failure`. */
export type Result<Id extends OperationId> = Results[Id];

/** The type of an operation's `data`. */
export type Data<Id extends OperationId> = DataOf<Results[Id]>;

/** A promise of a `Result`, with `orThrow()`, which resolves to the data or rejects with a `LibraryError`. */
export type Call<Id extends OperationId> = CallOf<Results[Id]>;

/** The items of a list, over all pages. */
export type Items<Id extends keyof ByPage> = ItemsOf<Results[Id], PageItems[Id]>;

/** One page of a list. */
export type Page<Id extends keyof ByPage> = PageOf<Results[Id], PageItems[Id]>;
