// Generated from the contract by `pnpm generate`. Do not edit.

export interface paths {
    "/pets": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List animals
         * @description Returns a page of animals, ordered by `id`.
         *
         *     If more animals follow, the response has `Link: <…>; rel="next"`. Request that URL unchanged. The last page
         *     has no such link. Every animal that exists throughout the listing appears exactly once.
         */
        get: operations["listPets"];
        put?: never;
        /**
         * Add an animal
         * @description Adds an animal. The service assigns its `id`.
         *
         *     Send an `Idempotency-Key` to make the request safe to repeat. A repeat with the same key and the same body gets
         *     the first response, marked `Idempotency-Replayed: true`, and adds no second animal. Keys expire after 24 hours.
         */
        post: operations["createPet"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/pets/{petId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Fetch one animal
         * @deprecated
         * @description Returns one animal by its identifier.
         *
         *     Deprecated. The operation will be removed on 5 December 2030. Use `GET /pets` with the `status` filter instead.
         */
        get: operations["getPet"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        /**
         * @description Availability of an animal.
         * @enum {string}
         */
        PetStatus: "available" | "pending" | "sold";
        /**
         * Format: int64
         * @description Unique identifier assigned by the service on creation.
         */
        PetId: number;
        /** @description Name of the animal, without control characters. */
        PetName: string;
        /**
         * Format: int64
         * @description Identifier of the category the animal belongs to.
         */
        CategoryId: number;
        /** @description An animal to add. */
        NewPet: {
            /** @description Name of the animal, without control characters. 1 to 255 characters. */
            name: components["schemas"]["PetName"];
            /** @description Identifier of the category the animal belongs to. -9007199254740991 to 9007199254740991. */
            categoryId: components["schemas"]["CategoryId"];
            /**
             * @description Availability of the animal. `available` when omitted on creation.
             * @default available
             */
            status?: components["schemas"]["PetStatus"];
        };
        /** @description An animal as the service returns it. */
        Pet: {
            /** @description Unique identifier assigned by the service on creation. -9007199254740991 to 9007199254740991. */
            id: components["schemas"]["PetId"];
            /** @description Name of the animal, without control characters. 1 to 255 characters. */
            name: components["schemas"]["PetName"];
            /** @description Identifier of the category the animal belongs to. -9007199254740991 to 9007199254740991. */
            categoryId: components["schemas"]["CategoryId"];
            /** @description Availability of the animal. */
            status: components["schemas"]["PetStatus"];
        };
        /** @description One page of animals. */
        Pets: components["schemas"]["Pet"][];
        /** @description An error. It has the same shape for every operation. */
        Error: {
            /** @description Error code for programs. New codes may be added. 1 to 64 characters. */
            code: string;
            /** @description Description for people. It may change. 1 to 1024 characters. */
            message: string;
            /** @description The HTTP status code of the response. 400 to 599. */
            status: number;
        };
    };
    responses: {
        /** @description The content has not changed since the response with the entity tag in `If-None-Match`. */
        NotModified: {
            headers: {
                /** @description The entity tag of the content, for `If-None-Match` (RFC 9110, section 8.8.3). */
                ETag?: string;
                /** @description The remaining requests, and the seconds until all are available again. Present if a limit is set. */
                RateLimit?: string;
                /** @description The number of requests allowed, and the period in seconds. Present if a limit is set. */
                "RateLimit-Policy"?: string;
                /** @description Identifies this request in the service's log. The service keeps the client's `X-Request-Id` if it has 1 to 128 characters of `A-Z a-z 0-9 _ . -`, and otherwise assigns one. */
                "X-Request-Id"?: string;
                [name: string]: unknown;
            };
            content?: never;
        };
        /** @description The API key is missing or invalid. */
        Unauthorized: {
            headers: {
                /** @description How to authenticate (RFC 6750, section 3). */
                "WWW-Authenticate": string;
                /** @description The remaining requests, and the seconds until all are available again. Present if a limit is set. */
                RateLimit?: string;
                /** @description The number of requests allowed, and the period in seconds. Present if a limit is set. */
                "RateLimit-Policy"?: string;
                /** @description Identifies this request in the service's log. The service keeps the client's `X-Request-Id` if it has 1 to 128 characters of `A-Z a-z 0-9 _ . -`, and otherwise assigns one. */
                "X-Request-Id"?: string;
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description The API key lacks the scope that the operation requires. */
        Forbidden: {
            headers: {
                /** @description The scope that the API key lacks (RFC 6750, section 3.1). */
                "WWW-Authenticate": string;
                /** @description The remaining requests, and the seconds until all are available again. Present if a limit is set. */
                RateLimit?: string;
                /** @description The number of requests allowed, and the period in seconds. Present if a limit is set. */
                "RateLimit-Policy"?: string;
                /** @description Identifies this request in the service's log. The service keeps the client's `X-Request-Id` if it has 1 to 128 characters of `A-Z a-z 0-9 _ . -`, and otherwise assigns one. */
                "X-Request-Id"?: string;
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description The first request with this `Idempotency-Key` is still running. Retry shortly. */
        IdempotencyInProgress: {
            headers: {
                /** @description Seconds until a retry may succeed (RFC 9110, section 10.2.3). */
                "Retry-After"?: number;
                /** @description The remaining requests, and the seconds until all are available again. Present if a limit is set. */
                RateLimit?: string;
                /** @description The number of requests allowed, and the period in seconds. Present if a limit is set. */
                "RateLimit-Policy"?: string;
                /** @description Identifies this request in the service's log. The service keeps the client's `X-Request-Id` if it has 1 to 128 characters of `A-Z a-z 0-9 _ . -`, and otherwise assigns one. */
                "X-Request-Id"?: string;
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description The request has `If-Match` or `If-None-Match`. Adding an animal supports neither. */
        PreconditionFailed: {
            headers: {
                /** @description The remaining requests, and the seconds until all are available again. Present if a limit is set. */
                RateLimit?: string;
                /** @description The number of requests allowed, and the period in seconds. Present if a limit is set. */
                "RateLimit-Policy"?: string;
                /** @description Identifies this request in the service's log. The service keeps the client's `X-Request-Id` if it has 1 to 128 characters of `A-Z a-z 0-9 _ . -`, and otherwise assigns one. */
                "X-Request-Id"?: string;
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description The body is larger than 64 KiB. */
        PayloadTooLarge: {
            headers: {
                /** @description The remaining requests, and the seconds until all are available again. Present if a limit is set. */
                RateLimit?: string;
                /** @description The number of requests allowed, and the period in seconds. Present if a limit is set. */
                "RateLimit-Policy"?: string;
                /** @description Identifies this request in the service's log. The service keeps the client's `X-Request-Id` if it has 1 to 128 characters of `A-Z a-z 0-9 _ . -`, and otherwise assigns one. */
                "X-Request-Id"?: string;
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description The body is not uncompressed `application/json` in UTF-8. */
        UnsupportedMediaType: {
            headers: {
                /** @description The content codings that the service accepts (RFC 9110, section 15.5.16). Present if the content coding was rejected. */
                "Accept-Encoding"?: string;
                /** @description The remaining requests, and the seconds until all are available again. Present if a limit is set. */
                RateLimit?: string;
                /** @description The number of requests allowed, and the period in seconds. Present if a limit is set. */
                "RateLimit-Policy"?: string;
                /** @description Identifies this request in the service's log. The service keeps the client's `X-Request-Id` if it has 1 to 128 characters of `A-Z a-z 0-9 _ . -`, and otherwise assigns one. */
                "X-Request-Id"?: string;
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description The `Idempotency-Key` was used before for another request. */
        IdempotencyKeyReused: {
            headers: {
                /** @description The remaining requests, and the seconds until all are available again. Present if a limit is set. */
                RateLimit?: string;
                /** @description The number of requests allowed, and the period in seconds. Present if a limit is set. */
                "RateLimit-Policy"?: string;
                /** @description Identifies this request in the service's log. The service keeps the client's `X-Request-Id` if it has 1 to 128 characters of `A-Z a-z 0-9 _ . -`, and otherwise assigns one. */
                "X-Request-Id"?: string;
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description Too many requests. Retry later. */
        RateLimited: {
            headers: {
                /** @description Seconds until a retry may succeed (RFC 9110, section 10.2.3). */
                "Retry-After"?: number;
                /** @description The remaining requests, and the seconds until all are available again. Present if a limit is set. */
                RateLimit?: string;
                /** @description The number of requests allowed, and the period in seconds. Present if a limit is set. */
                "RateLimit-Policy"?: string;
                /** @description Identifies this request in the service's log. The service keeps the client's `X-Request-Id` if it has 1 to 128 characters of `A-Z a-z 0-9 _ . -`, and otherwise assigns one. */
                "X-Request-Id"?: string;
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description The service is temporarily unavailable. Retry later. */
        Unavailable: {
            headers: {
                /** @description Seconds until a retry may succeed (RFC 9110, section 10.2.3). */
                "Retry-After"?: number;
                /** @description The remaining requests, and the seconds until all are available again. Present if a limit is set. */
                RateLimit?: string;
                /** @description The number of requests allowed, and the period in seconds. Present if a limit is set. */
                "RateLimit-Policy"?: string;
                /** @description Identifies this request in the service's log. The service keeps the client's `X-Request-Id` if it has 1 to 128 characters of `A-Z a-z 0-9 _ . -`, and otherwise assigns one. */
                "X-Request-Id"?: string;
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description Any other error. The description of this contract lists the codes. */
        Unexpected: {
            headers: {
                /** @description The remaining requests, and the seconds until all are available again. Present if a limit is set. */
                RateLimit?: string;
                /** @description The number of requests allowed, and the period in seconds. Present if a limit is set. */
                "RateLimit-Policy"?: string;
                /** @description Identifies this request in the service's log. The service keeps the client's `X-Request-Id` if it has 1 to 128 characters of `A-Z a-z 0-9 _ . -`, and otherwise assigns one. */
                "X-Request-Id"?: string;
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
    };
    parameters: {
        /** @description Maximum number of animals to return. 1 to 100. Default: 20. */
        Limit: number;
        /** @description Return only animals with this status. */
        StatusFilter: components["schemas"]["PetStatus"];
        /** @description An opaque string that marks where the page starts. Take it from the `next` link of the previous page. 1 to 64 characters. */
        Cursor: string;
        /**
         * @description A value of your choice, such as a UUID. Use a new one for each animal that you add. A repeat with the same key and the
         *     same body gets the first response and adds nothing. 1 to 255 characters.
         */
        IdempotencyKey: string;
        /**
         * @description The `ETag` of an earlier response (RFC 9110, section 13.1.2). If the content is still the same, the response is
         *     304 without a body. At most 16384 characters.
         */
        IfNoneMatch: string;
        /** @description Identifier of the animal to retrieve. -9007199254740991 to 9007199254740991. */
        PetId: components["schemas"]["PetId"];
    };
    requestBodies: never;
    headers: {
        /** @description The entity tag of the content, for `If-None-Match` (RFC 9110, section 8.8.3). */
        ETag: string;
        /** @description The next page: `<…>; rel="next"` (RFC 8288). Absent on the last page. */
        NextPage: string;
        /** @description When the operation was deprecated, as `@` and seconds since 1970 (RFC 9745). */
        Deprecation: string;
        /** @description When the operation will be removed, as an HTTP date (RFC 8594). */
        Sunset: string;
        /** @description The operation to use instead: `<…>; rel="successor-version"` (RFC 8288, RFC 5829). */
        Successor: string;
        /** @description `true` if this response repeats the response to an earlier request with the same `Idempotency-Key`. */
        IdempotencyReplayed: "true";
        /** @description The remaining requests, and the seconds until all are available again. Present if a limit is set. */
        RateLimit: string;
        /** @description The number of requests allowed, and the period in seconds. Present if a limit is set. */
        RateLimitPolicy: string;
        /** @description Identifies this request in the service's log. The service keeps the client's `X-Request-Id` if it has 1 to 128 characters of `A-Z a-z 0-9 _ . -`, and otherwise assigns one. */
        RequestId: string;
        /** @description Seconds until a retry may succeed (RFC 9110, section 10.2.3). */
        RetryAfter: number;
        /** @description How to authenticate (RFC 6750, section 3). */
        WWWAuthenticate: string;
        /** @description The scope that the API key lacks (RFC 6750, section 3.1). */
        InsufficientScope: string;
        /** @description The content codings that the service accepts (RFC 9110, section 15.5.16). Present if the content coding was rejected. */
        AcceptEncoding: string;
    };
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    listPets: {
        parameters: {
            query?: {
                /** @description Maximum number of animals to return. 1 to 100. Default: 20. */
                limit?: components["parameters"]["Limit"];
                /** @description Return only animals with this status. */
                status?: components["parameters"]["StatusFilter"];
                /** @description An opaque string that marks where the page starts. Take it from the `next` link of the previous page. 1 to 64 characters. */
                cursor?: components["parameters"]["Cursor"];
            };
            header?: {
                /**
                 * @description The `ETag` of an earlier response (RFC 9110, section 13.1.2). If the content is still the same, the response is
                 *     304 without a body. At most 16384 characters.
                 */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One page of animals. */
            200: {
                headers: {
                    /** @description The next page: `<…>; rel="next"` (RFC 8288). Absent on the last page. */
                    Link?: string;
                    /** @description The entity tag of the content, for `If-None-Match` (RFC 9110, section 8.8.3). */
                    ETag?: string;
                    /** @description The remaining requests, and the seconds until all are available again. Present if a limit is set. */
                    RateLimit?: string;
                    /** @description The number of requests allowed, and the period in seconds. Present if a limit is set. */
                    "RateLimit-Policy"?: string;
                    /** @description Identifies this request in the service's log. The service keeps the client's `X-Request-Id` if it has 1 to 128 characters of `A-Z a-z 0-9 _ . -`, and otherwise assigns one. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Pets"];
                };
            };
            304: components["responses"]["NotModified"];
            /** @description A query parameter is unknown, repeated, malformed or out of bounds. */
            400: {
                headers: {
                    /** @description The remaining requests, and the seconds until all are available again. Present if a limit is set. */
                    RateLimit?: string;
                    /** @description The number of requests allowed, and the period in seconds. Present if a limit is set. */
                    "RateLimit-Policy"?: string;
                    /** @description Identifies this request in the service's log. The service keeps the client's `X-Request-Id` if it has 1 to 128 characters of `A-Z a-z 0-9 _ . -`, and otherwise assigns one. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Unexpected"];
        };
    };
    createPet: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description A value of your choice, such as a UUID. Use a new one for each animal that you add. A repeat with the same key and the
                 *     same body gets the first response and adds nothing. 1 to 255 characters.
                 */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        /** @description The animal to add. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewPet"];
            };
        };
        responses: {
            /** @description The animal was added. */
            201: {
                headers: {
                    /** @description `true` if this response repeats the response to an earlier request with the same `Idempotency-Key`. */
                    "Idempotency-Replayed"?: "true";
                    /** @description The remaining requests, and the seconds until all are available again. Present if a limit is set. */
                    RateLimit?: string;
                    /** @description The number of requests allowed, and the period in seconds. Present if a limit is set. */
                    "RateLimit-Policy"?: string;
                    /** @description Identifies this request in the service's log. The service keeps the client's `X-Request-Id` if it has 1 to 128 characters of `A-Z a-z 0-9 _ . -`, and otherwise assigns one. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Pet"];
                };
            };
            /** @description The body or a parameter is missing, unknown, malformed or out of bounds. */
            400: {
                headers: {
                    /** @description The remaining requests, and the seconds until all are available again. Present if a limit is set. */
                    RateLimit?: string;
                    /** @description The number of requests allowed, and the period in seconds. Present if a limit is set. */
                    "RateLimit-Policy"?: string;
                    /** @description Identifies this request in the service's log. The service keeps the client's `X-Request-Id` if it has 1 to 128 characters of `A-Z a-z 0-9 _ . -`, and otherwise assigns one. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            409: components["responses"]["IdempotencyInProgress"];
            412: components["responses"]["PreconditionFailed"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["IdempotencyKeyReused"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Unexpected"];
        };
    };
    getPet: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The `ETag` of an earlier response (RFC 9110, section 13.1.2). If the content is still the same, the response is
                 *     304 without a body. At most 16384 characters.
                 */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path: {
                /** @description Identifier of the animal to retrieve. -9007199254740991 to 9007199254740991. */
                petId: components["parameters"]["PetId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The animal. */
            200: {
                headers: {
                    /** @description The entity tag of the content, for `If-None-Match` (RFC 9110, section 8.8.3). */
                    ETag?: string;
                    /** @description When the operation was deprecated, as `@` and seconds since 1970 (RFC 9745). */
                    Deprecation?: string;
                    /** @description When the operation will be removed, as an HTTP date (RFC 8594). */
                    Sunset?: string;
                    /** @description The operation to use instead: `<…>; rel="successor-version"` (RFC 8288, RFC 5829). */
                    Link?: string;
                    /** @description The remaining requests, and the seconds until all are available again. Present if a limit is set. */
                    RateLimit?: string;
                    /** @description The number of requests allowed, and the period in seconds. Present if a limit is set. */
                    "RateLimit-Policy"?: string;
                    /** @description Identifies this request in the service's log. The service keeps the client's `X-Request-Id` if it has 1 to 128 characters of `A-Z a-z 0-9 _ . -`, and otherwise assigns one. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Pet"];
                };
            };
            /** @description The animal has not changed since the response with the entity tag in `If-None-Match`. */
            304: {
                headers: {
                    /** @description The entity tag of the content, for `If-None-Match` (RFC 9110, section 8.8.3). */
                    ETag?: string;
                    /** @description When the operation was deprecated, as `@` and seconds since 1970 (RFC 9745). */
                    Deprecation?: string;
                    /** @description When the operation will be removed, as an HTTP date (RFC 8594). */
                    Sunset?: string;
                    /** @description The operation to use instead: `<…>; rel="successor-version"` (RFC 8288, RFC 5829). */
                    Link?: string;
                    /** @description The remaining requests, and the seconds until all are available again. Present if a limit is set. */
                    RateLimit?: string;
                    /** @description The number of requests allowed, and the period in seconds. Present if a limit is set. */
                    "RateLimit-Policy"?: string;
                    /** @description Identifies this request in the service's log. The service keeps the client's `X-Request-Id` if it has 1 to 128 characters of `A-Z a-z 0-9 _ . -`, and otherwise assigns one. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The identifier is malformed or out of bounds. */
            400: {
                headers: {
                    /** @description The remaining requests, and the seconds until all are available again. Present if a limit is set. */
                    RateLimit?: string;
                    /** @description The number of requests allowed, and the period in seconds. Present if a limit is set. */
                    "RateLimit-Policy"?: string;
                    /** @description Identifies this request in the service's log. The service keeps the client's `X-Request-Id` if it has 1 to 128 characters of `A-Z a-z 0-9 _ . -`, and otherwise assigns one. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            /** @description The animal does not exist. */
            404: {
                headers: {
                    /** @description When the operation was deprecated, as `@` and seconds since 1970 (RFC 9745). */
                    Deprecation?: string;
                    /** @description When the operation will be removed, as an HTTP date (RFC 8594). */
                    Sunset?: string;
                    /** @description The operation to use instead: `<…>; rel="successor-version"` (RFC 8288, RFC 5829). */
                    Link?: string;
                    /** @description The remaining requests, and the seconds until all are available again. Present if a limit is set. */
                    RateLimit?: string;
                    /** @description The number of requests allowed, and the period in seconds. Present if a limit is set. */
                    "RateLimit-Policy"?: string;
                    /** @description Identifies this request in the service's log. The service keeps the client's `X-Request-Id` if it has 1 to 128 characters of `A-Z a-z 0-9 _ . -`, and otherwise assigns one. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Unexpected"];
        };
    };
}
