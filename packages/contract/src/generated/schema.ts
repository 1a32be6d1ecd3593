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
         * @description Returns a paginated list of animals, ordered by `id`.
         */
        get: operations["listPets"];
        put?: never;
        /**
         * Add an animal
         * @description Adds a new animal. The service assigns its `id`.
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
         * @description Returns one animal by identifier.
         *
         *     Deprecated: removal is announced for 5 December 2030. Use `GET /pets` with the `status` filter.
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
        /** @description The animal's name. Control characters and lone surrogates are refused. */
        PetName: string;
        /**
         * Format: int64
         * @description Identifier of the category the animal belongs to.
         */
        CategoryId: number;
        /** @description An animal to add. */
        NewPet: {
            name: components["schemas"]["PetName"];
            categoryId: components["schemas"]["CategoryId"];
            /**
             * @description Availability of the animal. `available` when omitted on creation.
             * @default available
             */
            status?: components["schemas"]["PetStatus"];
        };
        /** @description An animal as the service returns it. */
        Pet: {
            id: components["schemas"]["PetId"];
            name: components["schemas"]["PetName"];
            categoryId: components["schemas"]["CategoryId"];
            /** @description Availability of the animal. */
            status: components["schemas"]["PetStatus"];
        };
        /** @description One page of animals. */
        Pets: components["schemas"]["Pet"][];
        /** @description What went wrong. */
        Error: {
            /** @description Machine-readable error code. New codes may be added. */
            code: string;
            /** @description Human-readable description. */
            message: string;
            /** @description The HTTP status code of the response. */
            status: number;
        };
    };
    responses: {
        /** @description The answer is the one that `If-None-Match` names, which the caller has. */
        NotModified: {
            headers: {
                /** @description Names this answer by its content (RFC 9110, section 8.8.3). Sent as `If-None-Match` it is answered 304 while the content is the same. */
                ETag?: string;
                [name: string]: unknown;
            };
            content?: never;
        };
        /** @description A parameter or the body is missing, malformed, unknown or out of bounds. */
        InvalidRequest: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description The API key is missing or invalid. */
        Unauthorized: {
            headers: {
                /** @description How to authenticate (RFC 6750, section 3). */
                "WWW-Authenticate": string;
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description The animal cannot be found. */
        NotFound: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description The first request with this `Idempotency-Key` is still running. Retry shortly. */
        IdempotencyInProgress: {
            headers: {
                /** @description After how many seconds a retry may succeed (RFC 9110, section 10.2.3). */
                "Retry-After"?: string;
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description The `Idempotency-Key` was used before with another body. */
        IdempotencyKeyReused: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description Any other failure; the table of codes is in the description of this document. */
        Unexpected: {
            headers: {
                /** @description After how many seconds a retry may succeed (RFC 9110, section 10.2.3). Sent with 429 and 503. */
                "Retry-After"?: string;
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
    };
    parameters: {
        /** @description Maximum number of animals to return. */
        Limit: number;
        /** @description Filter by availability status. */
        StatusFilter: components["schemas"]["PetStatus"];
        /** @description Where the page starts, as the `next` link of the page before it gives it. Opaque. */
        Cursor: string;
        /**
         * @description A value of the caller's choice, unique for each animal to add (a UUID, say). A repeat with the same key and
         *     the same body is answered with the first answer and adds nothing.
         */
        IdempotencyKey: string;
        /** @description Identifier of the animal to retrieve. */
        PetId: components["schemas"]["PetId"];
    };
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    listPets: {
        parameters: {
            query?: {
                /** @description Maximum number of animals to return. */
                limit?: components["parameters"]["Limit"];
                /** @description Filter by availability status. */
                status?: components["parameters"]["StatusFilter"];
                /** @description Where the page starts, as the `next` link of the page before it gives it. Opaque. */
                cursor?: components["parameters"]["Cursor"];
            };
            header?: never;
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
                    /** @description Names this answer by its content (RFC 9110, section 8.8.3). Sent as `If-None-Match` it is answered 304 while the content is the same. */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Pets"];
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            default: components["responses"]["Unexpected"];
        };
    };
    createPet: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description A value of the caller's choice, unique for each animal to add (a UUID, say). A repeat with the same key and
                 *     the same body is answered with the first answer and adds nothing.
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
                    /** @description `true` when this is the kept answer of an earlier request with the same `Idempotency-Key`. */
                    "Idempotency-Replayed"?: "true";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Pet"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            409: components["responses"]["IdempotencyInProgress"];
            422: components["responses"]["IdempotencyKeyReused"];
            default: components["responses"]["Unexpected"];
        };
    };
    getPet: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Identifier of the animal to retrieve. */
                petId: components["parameters"]["PetId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The animal. */
            200: {
                headers: {
                    /** @description When the operation was deprecated, as `@` and seconds since 1970 (RFC 9745). */
                    Deprecation?: string;
                    /** @description When the operation will be removed, as an HTTP date (RFC 8594). */
                    Sunset?: string;
                    /** @description The operation to use instead: `<…>; rel="successor-version"` (RFC 8288, RFC 5829). */
                    Link?: string;
                    /** @description Names this answer by its content (RFC 9110, section 8.8.3). Sent as `If-None-Match` it is answered 304 while the content is the same. */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Pet"];
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NotFound"];
            default: components["responses"]["Unexpected"];
        };
    };
}
