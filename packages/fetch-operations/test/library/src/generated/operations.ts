// Generated from the contract by fetch-operations. Do not edit.
import { type CallOptions, type DataOf, type ItemOf, type Operation, type PagedOperation, bodyTypes, mediaTypes, multipart, readAny, readBlob, readString, readTextEvents, styled, styledHeader, typedEvents, typedJson, typedLines, urlencoded, writeBigJson, writeRaw } from "fetch-operations";
import type { ListBooksInput, ListBooksResult, AddBookInput, AddBookResult, GetBookInput, GetBookResult, ReplaceBookInput, ReplaceBookResult, DeleteInput, DeleteResult, PeekBookInput, PeekBookResult, GetCoverInput, GetCoverResult, PutCoverInput, PutCoverResult, AddCoversInput, AddCoversResult, SearchInput, SearchResult, ListLoansInput, ListLoansResult, LendInput, LendResult, AuthorsInput, AuthorsResult, RefreshAuthorsInput, RefreshAuthorsResult, WatchInput, WatchResult, FollowInput, FollowResult, ReadLinesInput, ReadLinesResult } from "./calls.ts";
import { shapes } from "./shapes.ts";

/**
 * List books
 * by title
 *
 * Returns a page.
 *
 * The header `Link` leads to the next page.
 */
export const listBooks: PagedOperation<[input?: ListBooksInput, options?: CallOptions], ListBooksResult, ItemOf<DataOf<ListBooksResult>>> = {
  "id": "list-books",
  "method": "GET",
  "path": "/books",
  "parameters": {
    "cursor": "query",
    "tags": { "in": "query", "write": styled("form", false) },
    "filter": { "in": "query", "write": styled("deepObject", false) },
    "X-Fields": { "in": "header", "write": styledHeader(false) },
    "X-Shelf": "header",
    "theme": "cookie"
  },
  "success": [200],
  "errors": ["4XX", "default"],
  "read": typedJson({"items":"#Book"}, shapes, "Date"),
  "isRetryable": true,
  "pages": { "by": "link", "items": "", "cursor": "cursor" }
};

export const addBook: Operation<[input: AddBookInput, options?: CallOptions], AddBookResult> = {
  "id": "addBook",
  "method": "POST",
  "path": "/books",
  "parameters": { "Request-Key": "header" },
  "hasFields": true,
  "write": bodyTypes({
    "application/json": writeBigJson
  }),
  "success": [201],
  "read": typedJson("#Book", shapes, "Date"),
  "isRetryable": true,
  "idempotencyKey": "Request-Key",
  "security": [["token"], []]
};

/**
 * @deprecated Will be removed on 2030-12-05. Use `list-books`.
 */
export const getBook: Operation<[input: GetBookInput, options?: CallOptions], GetBookResult> = {
  "id": "getBook",
  "method": "GET",
  "path": "/books/{id}",
  "parameters": { "id": "path" },
  "success": [200],
  "empty": [404],
  "errors": [404],
  "read": typedJson("#Book", shapes, "Date"),
  "isRetryable": true,
  "deprecated": { "since": "2026-11-21", "sunset": "2030-12-05", "successor": "list-books" }
};

export const replaceBook: Operation<[input: ReplaceBookInput, options?: CallOptions], ReplaceBookResult> = {
  "id": "replaceBook",
  "method": "PUT",
  "path": "/books/{id}",
  "parameters": {
    "path.id": { "in": "path", "name": "id" },
    "query.id": { "in": "query", "name": "id" },
    "query.shelf": { "in": "query", "name": "shelf" },
    "header.shelf": { "in": "header", "name": "shelf" },
    "body": "body"
  },
  "write": bodyTypes({
    "application/json": writeBigJson
  }),
  "success": [202, 204],
  "empty": [202, 500],
  "errors": [500],
  "isRetryable": true,
  "server": "https://{zone}.files.example/{rest}"
};

export const delete_: Operation<[input: DeleteInput, options?: CallOptions], DeleteResult> = {
  "id": "delete",
  "method": "DELETE",
  "path": "/books/{id}",
  "parameters": { "id": "path" },
  "success": [204],
  "empty": [400],
  "errors": [400],
  "security": []
};

export const peekBook: Operation<[input: PeekBookInput, options?: CallOptions], PeekBookResult> = {
  "id": "peekBook",
  "method": "HEAD",
  "path": "/books/{id}",
  "parameters": { "id": "path" },
  "success": [200],
  "empty": [200],
  "errors": [],
  "isRetryable": true
};

export const getCover: Operation<[input: GetCoverInput, options?: CallOptions], GetCoverResult> = {
  "id": "GET /books/{id}/cover",
  "method": "GET",
  "path": "/books/{id}/cover",
  "parameters": { "id": { "in": "path", "write": styled("label", false) } },
  "success": [200],
  "errors": [],
  "read": mediaTypes({
    "image/png": readBlob,
    "application/json": typedJson("#Book", shapes, "Date"),
    "text/csv": readString
  }),
  "isRetryable": true,
  "server": "/files"
};

/**
 * @deprecated
 */
export const putCover: Operation<[input: PutCoverInput, options?: CallOptions], PutCoverResult> = {
  "id": "putCover",
  "method": "PUT",
  "path": "/books/{id}/cover",
  "parameters": { "id": "path", "body": "body" },
  "write": bodyTypes({
    "image/*": writeRaw
  }),
  "success": ["2XX"],
  "empty": ["2XX", "5XX"],
  "errors": ["5XX"],
  "server": "/files",
  "deprecated": {}
};

export const addCovers: Operation<[input: AddCoversInput, options?: CallOptions], AddCoversResult> = {
  "id": "addCovers",
  "method": "POST",
  "path": "/books/{id}/cover",
  "parameters": { "id": "path", "body": "body" },
  "write": bodyTypes({
    "multipart/form-data": multipart({
    "files": { "contentType": "image/png" },
    "title": { "style": "form", "explode": true }
  })
  }),
  "success": ["default"],
  "empty": ["default"],
  "server": "/files"
};

export const search: Operation<[input?: SearchInput, options?: CallOptions], SearchResult> = {
  "id": "search",
  "method": "POST",
  "path": "/search",
  "parameters": { "limit": "query", "body": "body", "contentType": "contentType" },
  "write": bodyTypes({
    "application/vnd.library+json": writeBigJson,
    "text/plain": writeRaw,
    "application/x-www-form-urlencoded": urlencoded({
    "tags": { "style": "form", "explode": false },
    "size": { "style": "deepObject", "explode": false },
    "owner": { "contentType": "application/json" },
    "note": { "style": "form", "explode": true, "allowReserved": true }
  })
  }),
  "success": [200],
  "errors": [],
  "read": readAny,
  "isNullable": true
};

export const listLoans: PagedOperation<[input?: ListLoansInput, options?: CallOptions], ListLoansResult, ItemOf<DataOf<ListLoansResult>, ["a/b~", "items"]>> = {
  "id": "listLoans",
  "method": "GET",
  "path": "/loans",
  "parameters": { "offset": "query", "limit": "query" },
  "success": [200],
  "errors": [],
  "read": typedJson({"fields":{"a/b~":{"fields":{"items":{"items":"#Loan"}}}}}, shapes, "Date"),
  "isRetryable": true,
  "pages": { "items": "/a~1b~0/items", "by": "offset", "offset": "offset", "limit": "limit" }
};

export const lend: Operation<[input?: LendInput, options?: CallOptions], LendResult> = {
  "id": "lend",
  "method": "POST",
  "path": "/loans",
  "parameters": {},
  "hasFields": true,
  "write": bodyTypes({
    "application/json": writeBigJson
  }),
  "success": [200],
  "errors": [],
  "read": typedJson("#Loan", shapes, "Date"),
  "isNullable": true
};

export const authors: PagedOperation<[input?: AuthorsInput, options?: CallOptions], AuthorsResult, ItemOf<DataOf<AuthorsResult>>> = {
  "id": "listAuthors",
  "method": "GET",
  "path": "/authors",
  "parameters": { "page": "query" },
  "success": [200],
  "errors": [],
  "pages": { "items": "", "first": 1, "by": "page", "page": "page" }
};

export const refreshAuthors: Operation<[input?: RefreshAuthorsInput, options?: CallOptions], RefreshAuthorsResult> = {
  "id": "refreshAuthors",
  "method": "POST",
  "path": "/authors",
  "parameters": {},
  "hasFields": true,
  "write": bodyTypes({
    "application/json": writeBigJson
  }),
  "success": [204],
  "errors": []
};

export const watch: Operation<[input?: WatchInput, options?: CallOptions], WatchResult> = {
  "id": "watch",
  "method": "GET",
  "path": "/events",
  "parameters": {},
  "success": [200],
  "errors": [],
  "read": readTextEvents,
  "streams": true,
  "isRetryable": true
};

export const follow: Operation<[input: FollowInput, options?: CallOptions], FollowResult> = {
  "id": "follow",
  "method": "POST",
  "path": "/events",
  "parameters": { "body": "body", "contentType": "contentType" },
  "write": bodyTypes({
    "text/plain": writeRaw,
    "image/png": writeRaw
  }),
  "success": [200],
  "errors": [],
  "read": typedEvents("#Loan", shapes, "Date"),
  "streams": true,
  "isRetryable": true
};

export const readLines: Operation<[input?: ReadLinesInput, options?: CallOptions], ReadLinesResult> = {
  "id": "readLines",
  "method": "GET",
  "path": "/lines",
  "parameters": {},
  "success": [200],
  "errors": [],
  "read": typedLines("#Loan", shapes, "Date"),
  "streams": true,
  "isRetryable": true
};

/** Every operation of the contract, by name. */
export const operations = { listBooks, addBook, getBook, replaceBook, delete_, peekBook, getCover, putCover, addCovers, search, listLoans, lend, authors, refreshAuthors, watch, follow, readLines };
