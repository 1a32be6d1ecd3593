// Generated from the contract by fetch-operations. Do not edit.
import type { ContractDocument } from "fetch-operations/testing";

/** The contract. */
export const document: ContractDocument = {
  "openapi": "3.1.1",
  "info": {
    "title": "Petstore",
    "version": "1.0.0",
    "summary": "An HTTP/JSON API for a store that sells animals.",
    "description": "List animals, add an animal, fetch an animal.\n\n## Authentication\nEvery operation requires an API key, sent as a bearer token: `Authorization: Bearer <API_KEY>`.\nA missing or invalid key gets 401. A key without the required scope gets 403.\nReading requires the scope `pets:read`. Adding an animal requires `pets:write`.\n\nWeb pages of any origin may call the service. Anyone who opens a page can read a key in it, so give such a key an\nexpiry, and only the scopes that the page needs.\n\n## Errors\nEvery response with a status other than 2xx or 304 is an `Error` with exactly `code`, `message` and `status`.\nBranch on `code`. The `message` is for people and may change.\n\n| status | code | when |\n| --- | --- | --- |\n| 400 | `invalid_request` | a parameter or the body does not match this contract |\n| 401 | `unauthorized` | the API key is missing or invalid |\n| 403 | `forbidden` | the API key lacks the scope that the operation requires |\n| 404 | `not_found` | the path or the animal does not exist |\n| 405 | `method_not_allowed` | the path does not support the method; see `Allow` |\n| 406 | `not_acceptable` | `Accept` excludes `application/json` |\n| 408 | `request_timeout` | the request did not arrive in time |\n| 409 | `idempotency_in_progress` | the first request with this `Idempotency-Key` is still running; see `Retry-After` |\n| 412 | `precondition_failed` | a request that adds an animal has `If-Match` or `If-None-Match` |\n| 413 | `payload_too_large` | the body is larger than 64 KiB |\n| 414 | `uri_too_long` | the path with its query is longer than 8 KiB |\n| 415 | `unsupported_media_type` | the body is not uncompressed `application/json` in UTF-8 |\n| 417 | `expectation_failed` | the `Expect` header is not `100-continue` |\n| 422 | `idempotency_key_reused` | the `Idempotency-Key` was used before for another request |\n| 429 | `rate_limited` | the client has sent too many requests; see `Retry-After` |\n| 431 | `headers_too_large` | the request line and headers together are larger than 16 KiB |\n| 500 | `internal_error` | an error occurred in the service |\n| 501 | `not_implemented` | the service does not know the method or the transfer coding |\n| 503 | `unavailable` | the service is temporarily unavailable; see `Retry-After` |\n| 505 | `http_version_not_supported` | the HTTP version is neither 1.0 nor 1.1 |\n\nNew codes may be added. Handle an unknown code by its status.\n\n## Validation\nThe service validates requests strictly, so that a typing mistake causes an error instead of lost data:\n\n- An unknown, repeated or empty query parameter gets 400.\n- An unknown or repeated body field gets 400.\n- Integers in paths and queries are plain decimal digits: `10`, not `1e1`, `0x10`, `10.0`, `+10` or `010`. In bodies,\n  any JSON notation of an integer is valid.\n- Identifiers beyond ±9007199254740991 (2^53 − 1) get 400, because many JSON parsers would round them.\n- Paths are case-sensitive and have no trailing slash.\n\n## Pagination\n`GET /pets` returns one page, ordered by `id`. If more animals follow, the response has\n`Link: <…>; rel=\"next\"` (RFC 8288). Request that URL unchanged; it is relative to the URL of the request. The last\npage has no such link. Every animal that exists throughout the listing appears exactly once.\n\n## Idempotency\n`POST /pets` accepts an optional `Idempotency-Key`. A repeat with the same key and the same body gets the first\nresponse, marked `Idempotency-Replayed: true`, and adds no second animal. If the first request is still running,\nthe repeat waits for its response, or gets 409 where the service cannot wait. Keys expire after 24 hours and are\nseparate for each API key.\n\n## Deprecation\nResponses of a deprecated operation have the headers `Deprecation` (RFC 9745), `Sunset` (RFC 8594) and\n`Link` with `rel=\"successor-version\"`. `GET /pets/{petId}` will be removed on 5 December 2030.\nUse `GET /pets` with the `status` filter instead.\n\n## Rate limits\nThe service may limit the requests of each API key. Requests beyond the limit get 429 with `Retry-After`, the\nnumber of seconds to wait. If a limit is set, each response reports it: `RateLimit-Policy: \"default\";q=600;w=60` allows\n600 requests in 60 seconds. `RateLimit: \"default\";r=599;t=60` means that 599 of them remain for the next 60 seconds.\n\n## Limits\n| subject | limit |\n| --- | --- |\n| `limit` of `GET /pets` | 1 to 100 animals per page; default 20 |\n| `name` of an animal | 1 to 255 characters, no control characters |\n| identifiers | −(2^53 − 1) to 2^53 − 1 |\n| request body | 64 KiB |\n| path with its query | 8 KiB |\n| request line and headers | 16 KiB |\n| `Idempotency-Key` | 1 to 255 visible ASCII characters, expires after 24 hours |\n\n## Versions\nThe path begins with the major version, `/v1`. A breaking change gets a new prefix. Compatible additions may be made\nat any time: operations, optional parameters, response statuses, fields and headers, and error codes. Ignore those\nthat you do not know.\n\n## Changelog\n**1.0.0**: list animals, add an animal, fetch an animal. Fetching is deprecated from the start.\n",
    "contact": { "name": "Petstore API support", "email": "api@petstore.example" },
    "license": { "name": "MIT", "identifier": "MIT" }
  },
  "servers": [{ "url": "https://api.petstore.example/v1", "description": "Production" }, { "url": "https://staging.petstore.example/v1", "description": "Staging" }],
  "tags": [{ "name": "Pets", "description": "Animals for sale." }],
  "paths": {
    "/pets": {
      "get": {
        "operationId": "listPets",
        "tags": ["Pets"],
        "summary": "List animals",
        "description": "Returns a page of animals, ordered by `id`.\n\nIf more animals follow, the response has `Link: <…>; rel=\"next\"`. Request that URL unchanged. The last page\nhas no such link. Every animal that exists throughout the listing appears exactly once.\n",
        "security": [{ "bearerAuth": ["pets:read"] }],
        "parameters": [{ "$ref": "#/components/parameters/Limit" }, { "$ref": "#/components/parameters/StatusFilter" }, { "$ref": "#/components/parameters/Cursor" }, { "$ref": "#/components/parameters/IfNoneMatch" }],
        "responses": {
          "200": { "description": "One page of animals.", "headers": { "Link": { "$ref": "#/components/headers/NextPage" }, "ETag": { "$ref": "#/components/headers/ETag" }, "RateLimit": { "$ref": "#/components/headers/RateLimit" }, "RateLimit-Policy": { "$ref": "#/components/headers/RateLimitPolicy" }, "X-Request-Id": { "$ref": "#/components/headers/RequestId" } }, "content": { "application/json": { "schema": { "$ref": "#/components/schemas/Pets" }, "examples": { "page": { "summary": "A page of two animals", "value": [{ "id": 1, "name": "Rex", "categoryId": 1, "status": "available" }, { "id": 2, "name": "Mia", "categoryId": 2, "status": "pending" }] }, "empty": { "summary": "No animal matches", "value": [] } } } } },
          "304": { "$ref": "#/components/responses/NotModified" },
          "400": {
            "description": "A query parameter is unknown, repeated, malformed or out of bounds.",
            "headers": { "RateLimit": { "$ref": "#/components/headers/RateLimit" }, "RateLimit-Policy": { "$ref": "#/components/headers/RateLimitPolicy" }, "X-Request-Id": { "$ref": "#/components/headers/RequestId" } },
            "content": {
              "application/json": {
                "schema": { "$ref": "#/components/schemas/Error" },
                "examples": {
                  "limit": { "summary": "A limit out of bounds", "value": { "code": "invalid_request", "message": "Query parameter \"limit\" must be from 1 to 100.", "status": 400 } },
                  "status": { "summary": "A status that does not exist", "value": { "code": "invalid_request", "message": "Query parameter \"status\" must be one of: available, pending, sold.", "status": 400 } },
                  "unknownParameter": { "summary": "A parameter that does not exist", "value": { "code": "invalid_request", "message": "Query parameter \"stat\" is not known. The parameters are: limit, status, cursor.", "status": 400 } },
                  "repeatedParameter": { "summary": "A parameter given twice", "value": { "code": "invalid_request", "message": "Query parameter \"limit\" must be given only once.", "status": 400 } },
                  "cursor": { "summary": "A cursor that the service did not return", "value": { "code": "invalid_request", "message": "Query parameter \"cursor\" is not a cursor returned by this service. Start again without it.", "status": 400 } }
                }
              }
            }
          },
          "401": { "$ref": "#/components/responses/Unauthorized" },
          "403": { "$ref": "#/components/responses/Forbidden" },
          "429": { "$ref": "#/components/responses/RateLimited" },
          "503": { "$ref": "#/components/responses/Unavailable" },
          "default": { "$ref": "#/components/responses/Unexpected" }
        }
      },
      "post": {
        "operationId": "createPet",
        "tags": ["Pets"],
        "summary": "Add an animal",
        "description": "Adds an animal. The service assigns its `id`.\n\nSend an `Idempotency-Key` to make the request safe to repeat. A repeat with the same key and the same body gets\nthe first response, marked `Idempotency-Replayed: true`, and adds no second animal. Keys expire after 24 hours.\n",
        "security": [{ "bearerAuth": ["pets:write"] }],
        "parameters": [{ "$ref": "#/components/parameters/IdempotencyKey" }],
        "requestBody": { "description": "The animal to add.", "required": true, "content": { "application/json": { "schema": { "$ref": "#/components/schemas/NewPet" }, "examples": { "minimal": { "summary": "Without a status, the animal is available", "value": { "name": "Rex", "categoryId": 1 } }, "withStatus": { "summary": "With every field", "value": { "name": "Mia", "categoryId": 2, "status": "pending" } } } } } },
        "responses": {
          "201": { "description": "The animal was added.", "headers": { "Idempotency-Replayed": { "$ref": "#/components/headers/IdempotencyReplayed" }, "RateLimit": { "$ref": "#/components/headers/RateLimit" }, "RateLimit-Policy": { "$ref": "#/components/headers/RateLimitPolicy" }, "X-Request-Id": { "$ref": "#/components/headers/RequestId" } }, "content": { "application/json": { "schema": { "$ref": "#/components/schemas/Pet" }, "examples": { "added": { "summary": "The animal with its id", "value": { "id": 1, "name": "Rex", "categoryId": 1, "status": "available" } } } } } },
          "400": {
            "description": "The body or a parameter is missing, unknown, malformed or out of bounds.",
            "headers": { "RateLimit": { "$ref": "#/components/headers/RateLimit" }, "RateLimit-Policy": { "$ref": "#/components/headers/RateLimitPolicy" }, "X-Request-Id": { "$ref": "#/components/headers/RequestId" } },
            "content": {
              "application/json": {
                "schema": { "$ref": "#/components/schemas/Error" },
                "examples": {
                  "missingField": { "summary": "A required field is missing", "value": { "code": "invalid_request", "message": "Body field \"categoryId\" is required.", "status": 400 } },
                  "unknownField": { "summary": "A field that does not exist", "value": { "code": "invalid_request", "message": "Body field \"colour\" is not known. The fields are: name, categoryId, status.", "status": 400 } },
                  "emptyName": { "summary": "An empty name", "value": { "code": "invalid_request", "message": "Body field \"name\" must have from 1 to 255 characters.", "status": 400 } },
                  "controlCharacter": { "summary": "A control character in the name", "value": { "code": "invalid_request", "message": "Body field \"name\" must not contain control characters.", "status": 400 } },
                  "repeatedField": { "summary": "A field given twice", "value": { "code": "invalid_request", "message": "The request body contains field \"name\" twice. Give it once.", "status": 400 } },
                  "inexactNumber": { "summary": "A number that cannot be represented exactly", "value": { "code": "invalid_request", "message": "The request body contains a number in field \"categoryId\" that cannot be represented exactly. Send one with fewer digits.", "status": 400 } },
                  "wrongType": { "summary": "A value of another type", "value": { "code": "invalid_request", "message": "Body field \"categoryId\" must be an integer.", "status": 400 } },
                  "notJson": { "summary": "A body that is not JSON", "value": { "code": "invalid_request", "message": "The request body is not valid JSON. Check its quotation marks, commas and brackets.", "status": 400 } },
                  "idempotencyKey": { "summary": "An Idempotency-Key with a space", "value": { "code": "invalid_request", "message": "Header \"Idempotency-Key\" may contain only visible ASCII characters.", "status": 400 } }
                }
              }
            }
          },
          "401": { "$ref": "#/components/responses/Unauthorized" },
          "403": { "$ref": "#/components/responses/Forbidden" },
          "409": { "$ref": "#/components/responses/IdempotencyInProgress" },
          "412": { "$ref": "#/components/responses/PreconditionFailed" },
          "413": { "$ref": "#/components/responses/PayloadTooLarge" },
          "415": { "$ref": "#/components/responses/UnsupportedMediaType" },
          "422": { "$ref": "#/components/responses/IdempotencyKeyReused" },
          "429": { "$ref": "#/components/responses/RateLimited" },
          "503": { "$ref": "#/components/responses/Unavailable" },
          "default": { "$ref": "#/components/responses/Unexpected" }
        }
      }
    },
    "/pets/{petId}": {
      "get": {
        "operationId": "getPet",
        "tags": ["Pets"],
        "summary": "Fetch one animal",
        "description": "Returns one animal by its identifier.\n\nDeprecated. The operation will be removed on 5 December 2030. Use `GET /pets` with the `status` filter instead.\n",
        "deprecated": true,
        "x-deprecated-at": "2026-11-21",
        "x-sunset": "2030-12-05",
        "x-successor": "listPets",
        "security": [{ "bearerAuth": ["pets:read"] }],
        "parameters": [{ "$ref": "#/components/parameters/PetId" }, { "$ref": "#/components/parameters/IfNoneMatch" }],
        "responses": {
          "200": { "description": "The animal.", "headers": { "ETag": { "$ref": "#/components/headers/ETag" }, "Deprecation": { "$ref": "#/components/headers/Deprecation" }, "Sunset": { "$ref": "#/components/headers/Sunset" }, "Link": { "$ref": "#/components/headers/Successor" }, "RateLimit": { "$ref": "#/components/headers/RateLimit" }, "RateLimit-Policy": { "$ref": "#/components/headers/RateLimitPolicy" }, "X-Request-Id": { "$ref": "#/components/headers/RequestId" } }, "content": { "application/json": { "schema": { "$ref": "#/components/schemas/Pet" }, "examples": { "found": { "summary": "The animal", "value": { "id": 1, "name": "Rex", "categoryId": 1, "status": "available" } } } } } },
          "304": { "description": "The animal has not changed since the response with the entity tag in `If-None-Match`.", "headers": { "ETag": { "$ref": "#/components/headers/ETag" }, "Deprecation": { "$ref": "#/components/headers/Deprecation" }, "Sunset": { "$ref": "#/components/headers/Sunset" }, "Link": { "$ref": "#/components/headers/Successor" }, "RateLimit": { "$ref": "#/components/headers/RateLimit" }, "RateLimit-Policy": { "$ref": "#/components/headers/RateLimitPolicy" }, "X-Request-Id": { "$ref": "#/components/headers/RequestId" } } },
          "400": { "description": "The identifier is malformed or out of bounds.", "headers": { "RateLimit": { "$ref": "#/components/headers/RateLimit" }, "RateLimit-Policy": { "$ref": "#/components/headers/RateLimitPolicy" }, "X-Request-Id": { "$ref": "#/components/headers/RequestId" } }, "content": { "application/json": { "schema": { "$ref": "#/components/schemas/Error" }, "examples": { "petId": { "summary": "An identifier that is not an integer", "value": { "code": "invalid_request", "message": "Path parameter \"petId\" must be an integer in plain decimal digits, such as 10.", "status": 400 } } } } } },
          "401": { "$ref": "#/components/responses/Unauthorized" },
          "403": { "$ref": "#/components/responses/Forbidden" },
          "404": { "description": "The animal does not exist.", "headers": { "Deprecation": { "$ref": "#/components/headers/Deprecation" }, "Sunset": { "$ref": "#/components/headers/Sunset" }, "Link": { "$ref": "#/components/headers/Successor" }, "RateLimit": { "$ref": "#/components/headers/RateLimit" }, "RateLimit-Policy": { "$ref": "#/components/headers/RateLimitPolicy" }, "X-Request-Id": { "$ref": "#/components/headers/RequestId" } }, "content": { "application/json": { "schema": { "$ref": "#/components/schemas/Error" }, "examples": { "notFound": { "summary": "No such animal", "value": { "code": "not_found", "message": "There is no animal with this id.", "status": 404 } } } } } },
          "429": { "$ref": "#/components/responses/RateLimited" },
          "503": { "$ref": "#/components/responses/Unavailable" },
          "default": { "$ref": "#/components/responses/Unexpected" }
        }
      }
    }
  },
  "components": {
    "securitySchemes": { "bearerAuth": { "type": "http", "scheme": "bearer", "description": "The API key, sent as `Authorization: Bearer <API_KEY>`.\nThe scope `pets:read` allows reading, `pets:write` allows adding animals.\n" } },
    "parameters": {
      "Limit": { "name": "limit", "in": "query", "description": "Maximum number of animals to return.", "schema": { "type": "integer", "minimum": 1, "maximum": 100, "default": 20 }, "examples": { "ten": { "summary": "At most ten", "value": 10 } } },
      "StatusFilter": { "name": "status", "in": "query", "description": "Return only animals with this status.", "schema": { "$ref": "#/components/schemas/PetStatus" }, "examples": { "available": { "summary": "Only animals that are available", "value": "available" } } },
      "Cursor": { "name": "cursor", "in": "query", "description": "An opaque string that marks where the page starts. Take it from the `next` link of the previous page.", "schema": { "type": "string", "minLength": 1, "maxLength": 64, "pattern": "^[A-Za-z0-9_-]+$" }, "examples": { "afterTwo": { "summary": "The page after the animal with id 2", "value": "MToy" } } },
      "IdempotencyKey": { "name": "Idempotency-Key", "in": "header", "description": "A value of your choice, such as a UUID. Use a new one for each animal that you add. A repeat with the same key and the\nsame body gets the first response and adds nothing.\n", "schema": { "type": "string", "minLength": 1, "maxLength": 255, "pattern": "^[\\x21-\\x7e]+$" }, "examples": { "uuid": { "summary": "A UUID", "value": "8f3f6f0e-5d0c-4a53-9f0a-0a8f3c1c7f8e" } } },
      "IfNoneMatch": { "name": "If-None-Match", "in": "header", "description": "The `ETag` of an earlier response (RFC 9110, section 13.1.2). If the content is still the same, the response is\n304 without a body.\n", "schema": { "type": "string", "maxLength": 16384 }, "examples": { "tag": { "summary": "One entity tag", "value": "\"7sLtUxhYkBdGc0pVnQ2m5w\"" } } },
      "PetId": { "name": "petId", "in": "path", "required": true, "description": "Identifier of the animal to retrieve.", "schema": { "$ref": "#/components/schemas/PetId" }, "examples": { "one": { "summary": "The first animal", "value": 1 } } }
    },
    "headers": {
      "ETag": { "description": "The entity tag of the content, for `If-None-Match` (RFC 9110, section 8.8.3).", "schema": { "type": "string", "maxLength": 64 }, "examples": { "tag": { "summary": "A strong entity tag", "value": "\"7sLtUxhYkBdGc0pVnQ2m5w\"" } } },
      "NextPage": { "description": "The next page: `<…>; rel=\"next\"` (RFC 8288). Absent on the last page.", "schema": { "type": "string", "maxLength": 2048 }, "examples": { "next": { "summary": "The next page of two", "value": "</v1/pets?limit=2&cursor=MToy>; rel=\"next\"" } } },
      "Deprecation": { "description": "When the operation was deprecated, as `@` and seconds since 1970 (RFC 9745).", "schema": { "type": "string", "maxLength": 32 }, "examples": { "date": { "summary": "21 November 2026", "value": "@1795219200" } } },
      "Sunset": { "description": "When the operation will be removed, as an HTTP date (RFC 8594).", "schema": { "type": "string", "maxLength": 64 }, "examples": { "date": { "summary": "5 December 2030", "value": "Thu, 05 Dec 2030 00:00:00 GMT" } } },
      "Successor": { "description": "The operation to use instead: `<…>; rel=\"successor-version\"` (RFC 8288, RFC 5829).", "schema": { "type": "string", "maxLength": 2048 }, "examples": { "successor": { "summary": "The listing", "value": "</v1/pets>; rel=\"successor-version\"" } } },
      "IdempotencyReplayed": { "description": "`true` if this response repeats the response to an earlier request with the same `Idempotency-Key`.", "schema": { "type": "string", "enum": ["true"] }, "examples": { "replayed": { "summary": "A repeat", "value": "true" } } },
      "RateLimit": { "description": "The remaining requests, and the seconds until all are available again. Present if a limit is set.", "schema": { "type": "string", "maxLength": 128 }, "examples": { "remaining": { "summary": "599 requests remain for 60 seconds", "value": "\"default\";r=599;t=60" } } },
      "RateLimitPolicy": { "description": "The number of requests allowed, and the period in seconds. Present if a limit is set.", "schema": { "type": "string", "maxLength": 128 }, "examples": { "policy": { "summary": "600 requests in 60 seconds", "value": "\"default\";q=600;w=60" } } },
      "RequestId": { "description": "Identifies this request in the service's log. The service keeps the client's `X-Request-Id` if it has 1 to 128 characters of `A-Z a-z 0-9 _ . -`, and otherwise assigns one.", "schema": { "type": "string", "maxLength": 128 }, "examples": { "uuid": { "summary": "Assigned by the service", "value": "5b1f0c1e-8a52-4f1c-9c1b-0f6b6a3f2d10" } } },
      "RetryAfter": { "description": "Seconds until a retry may succeed (RFC 9110, section 10.2.3).", "schema": { "type": "integer", "minimum": 0, "maximum": 100000 }, "examples": { "soon": { "summary": "In one second", "value": 1 } } },
      "WWWAuthenticate": { "description": "How to authenticate (RFC 6750, section 3).", "required": true, "schema": { "type": "string", "maxLength": 1024 }, "examples": { "invalid": { "summary": "A key was sent and is not valid", "value": "Bearer realm=\"petstore\", error=\"invalid_token\"" } } },
      "InsufficientScope": { "description": "The scope that the API key lacks (RFC 6750, section 3.1).", "required": true, "schema": { "type": "string", "maxLength": 1024 }, "examples": { "scope": { "summary": "The key does not allow adding animals", "value": "Bearer realm=\"petstore\", error=\"insufficient_scope\", scope=\"pets:write\"" } } },
      "AcceptEncoding": { "description": "The content codings that the service accepts (RFC 9110, section 15.5.16). Present if the content coding was rejected.", "schema": { "type": "string", "maxLength": 64 }, "examples": { "none": { "summary": "No content coding", "value": "identity" } } }
    },
    "responses": {
      "NotModified": { "description": "The content has not changed since the response with the entity tag in `If-None-Match`.", "headers": { "ETag": { "$ref": "#/components/headers/ETag" }, "RateLimit": { "$ref": "#/components/headers/RateLimit" }, "RateLimit-Policy": { "$ref": "#/components/headers/RateLimitPolicy" }, "X-Request-Id": { "$ref": "#/components/headers/RequestId" } } },
      "Unauthorized": { "description": "The API key is missing or invalid.", "headers": { "WWW-Authenticate": { "$ref": "#/components/headers/WWWAuthenticate" }, "RateLimit": { "$ref": "#/components/headers/RateLimit" }, "RateLimit-Policy": { "$ref": "#/components/headers/RateLimitPolicy" }, "X-Request-Id": { "$ref": "#/components/headers/RequestId" } }, "content": { "application/json": { "schema": { "$ref": "#/components/schemas/Error" }, "examples": { "unauthorized": { "summary": "The API key is missing or invalid", "value": { "code": "unauthorized", "message": "A valid API key is required, sent as: Authorization: Bearer <API_KEY>.", "status": 401 } } } } } },
      "Forbidden": { "description": "The API key lacks the scope that the operation requires.", "headers": { "WWW-Authenticate": { "$ref": "#/components/headers/InsufficientScope" }, "RateLimit": { "$ref": "#/components/headers/RateLimit" }, "RateLimit-Policy": { "$ref": "#/components/headers/RateLimitPolicy" }, "X-Request-Id": { "$ref": "#/components/headers/RequestId" } }, "content": { "application/json": { "schema": { "$ref": "#/components/schemas/Error" }, "examples": { "forbiddenToRead": { "summary": "The API key does not allow reading", "value": { "code": "forbidden", "message": "This operation needs the scope pets:read.", "status": 403 } }, "forbiddenToWrite": { "summary": "The API key does not allow adding animals", "value": { "code": "forbidden", "message": "This operation needs the scope pets:write.", "status": 403 } } } } } },
      "IdempotencyInProgress": { "description": "The first request with this `Idempotency-Key` is still running. Retry shortly.", "headers": { "Retry-After": { "$ref": "#/components/headers/RetryAfter" }, "RateLimit": { "$ref": "#/components/headers/RateLimit" }, "RateLimit-Policy": { "$ref": "#/components/headers/RateLimitPolicy" }, "X-Request-Id": { "$ref": "#/components/headers/RequestId" } }, "content": { "application/json": { "schema": { "$ref": "#/components/schemas/Error" }, "examples": { "inProgress": { "summary": "Still running", "value": { "code": "idempotency_in_progress", "message": "The first request with this Idempotency-Key is still running. Retry shortly.", "status": 409 } } } } } },
      "PreconditionFailed": { "description": "The request has `If-Match` or `If-None-Match`. Adding an animal supports neither.", "headers": { "RateLimit": { "$ref": "#/components/headers/RateLimit" }, "RateLimit-Policy": { "$ref": "#/components/headers/RateLimitPolicy" }, "X-Request-Id": { "$ref": "#/components/headers/RequestId" } }, "content": { "application/json": { "schema": { "$ref": "#/components/schemas/Error" }, "examples": { "conditional": { "summary": "A conditional creation", "value": { "code": "precondition_failed", "message": "This operation does not support If-None-Match, so it did nothing. Leave the header out.", "status": 412 } } } } } },
      "PayloadTooLarge": { "description": "The body is larger than 64 KiB.", "headers": { "RateLimit": { "$ref": "#/components/headers/RateLimit" }, "RateLimit-Policy": { "$ref": "#/components/headers/RateLimitPolicy" }, "X-Request-Id": { "$ref": "#/components/headers/RequestId" } }, "content": { "application/json": { "schema": { "$ref": "#/components/schemas/Error" }, "examples": { "tooLarge": { "summary": "A body larger than 64 KiB", "value": { "code": "payload_too_large", "message": "The request body is too large. At most 65536 bytes are allowed.", "status": 413 } } } } } },
      "UnsupportedMediaType": { "description": "The body is not uncompressed `application/json` in UTF-8.", "headers": { "Accept-Encoding": { "$ref": "#/components/headers/AcceptEncoding" }, "RateLimit": { "$ref": "#/components/headers/RateLimit" }, "RateLimit-Policy": { "$ref": "#/components/headers/RateLimitPolicy" }, "X-Request-Id": { "$ref": "#/components/headers/RequestId" } }, "content": { "application/json": { "schema": { "$ref": "#/components/schemas/Error" }, "examples": { "compressed": { "summary": "A compressed body", "value": { "code": "unsupported_media_type", "message": "Send the body uncompressed, without Content-Encoding.", "status": 415 } }, "mediaType": { "summary": "A body of another media type", "value": { "code": "unsupported_media_type", "message": "Send the body as application/json, with a matching Content-Type. Encode text as UTF-8.", "status": 415 } } } } } },
      "IdempotencyKeyReused": { "description": "The `Idempotency-Key` was used before for another request.", "headers": { "RateLimit": { "$ref": "#/components/headers/RateLimit" }, "RateLimit-Policy": { "$ref": "#/components/headers/RateLimitPolicy" }, "X-Request-Id": { "$ref": "#/components/headers/RequestId" } }, "content": { "application/json": { "schema": { "$ref": "#/components/schemas/Error" }, "examples": { "reused": { "summary": "Another body", "value": { "code": "idempotency_key_reused", "message": "This Idempotency-Key was used before for another request. Use a new key.", "status": 422 } } } } } },
      "RateLimited": { "description": "Too many requests. Retry later.", "headers": { "Retry-After": { "$ref": "#/components/headers/RetryAfter" }, "RateLimit": { "$ref": "#/components/headers/RateLimit" }, "RateLimit-Policy": { "$ref": "#/components/headers/RateLimitPolicy" }, "X-Request-Id": { "$ref": "#/components/headers/RequestId" } }, "content": { "application/json": { "schema": { "$ref": "#/components/schemas/Error" }, "examples": { "rateLimited": { "summary": "Too many requests", "value": { "code": "rate_limited", "message": "Too many requests. Retry later.", "status": 429 } } } } } },
      "Unavailable": { "description": "The service is temporarily unavailable. Retry later.", "headers": { "Retry-After": { "$ref": "#/components/headers/RetryAfter" }, "RateLimit": { "$ref": "#/components/headers/RateLimit" }, "RateLimit-Policy": { "$ref": "#/components/headers/RateLimitPolicy" }, "X-Request-Id": { "$ref": "#/components/headers/RequestId" } }, "content": { "application/json": { "schema": { "$ref": "#/components/schemas/Error" }, "examples": { "unavailable": { "summary": "The service is temporarily unavailable", "value": { "code": "unavailable", "message": "The service is temporarily unavailable. Retry later.", "status": 503 } } } } } },
      "Unexpected": { "description": "Any other error. The description of this contract lists the codes.", "headers": { "RateLimit": { "$ref": "#/components/headers/RateLimit" }, "RateLimit-Policy": { "$ref": "#/components/headers/RateLimitPolicy" }, "X-Request-Id": { "$ref": "#/components/headers/RequestId" } }, "content": { "application/json": { "schema": { "$ref": "#/components/schemas/Error" }, "examples": { "notAcceptable": { "summary": "`Accept` excludes JSON", "value": { "code": "not_acceptable", "message": "This operation responds with application/json. Send an Accept header that allows this, or none.", "status": 406 } }, "internalError": { "summary": "An error in the service", "value": { "code": "internal_error", "message": "The service failed because of an internal error. The error is logged.", "status": 500 } } } } } }
    },
    "schemas": {
      "PetStatus": { "type": "string", "description": "Availability of an animal.", "enum": ["available", "pending", "sold"] },
      "PetId": { "type": "integer", "format": "int64", "description": "Unique identifier assigned by the service on creation.", "minimum": -9007199254740991, "maximum": 9007199254740991 },
      "PetName": { "type": "string", "description": "Name of the animal, without control characters.", "minLength": 1, "maxLength": 255, "pattern": "^[^\\x00-\\x1f\\x7f-\\x9f]*$" },
      "CategoryId": { "type": "integer", "format": "int64", "description": "Identifier of the category the animal belongs to.", "minimum": -9007199254740991, "maximum": 9007199254740991 },
      "NewPet": { "type": "object", "description": "An animal to add.", "required": ["name", "categoryId"], "additionalProperties": false, "properties": { "name": { "$ref": "#/components/schemas/PetName" }, "categoryId": { "$ref": "#/components/schemas/CategoryId" }, "status": { "$ref": "#/components/schemas/PetStatus", "description": "Availability of the animal. `available` when omitted on creation.", "default": "available" } } },
      "Pet": { "type": "object", "description": "An animal as the service returns it.", "required": ["id", "name", "categoryId", "status"], "properties": { "id": { "$ref": "#/components/schemas/PetId" }, "name": { "$ref": "#/components/schemas/PetName" }, "categoryId": { "$ref": "#/components/schemas/CategoryId" }, "status": { "$ref": "#/components/schemas/PetStatus", "description": "Availability of the animal." } } },
      "Pets": { "type": "array", "description": "One page of animals.", "maxItems": 100, "items": { "$ref": "#/components/schemas/Pet" } },
      "Error": { "type": "object", "description": "An error. It has the same shape for every operation.", "required": ["code", "message", "status"], "properties": { "code": { "type": "string", "description": "Error code for programs. New codes may be added.", "minLength": 1, "maxLength": 64 }, "message": { "type": "string", "description": "Description for people. It may change.", "minLength": 1, "maxLength": 1024 }, "status": { "type": "integer", "description": "The HTTP status code of the response.", "minimum": 400, "maximum": 599 } } }
    }
  }
}; // long lines, because programs alone read it
