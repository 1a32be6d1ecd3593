export interface paths {
    "/notes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["listNotes"];
        put?: never;
        post: operations["createNote"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/notes/{noteId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["getNote"];
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
        NewNote: {
            text: string;
            /** @default [] */
            tags: string[];
        };
        Note: {
            id: number;
            text: string;
            tags: string[];
        };
        Fault: {
            code: string;
            message: string;
            status: number;
        };
    };
    responses: {
        /** @description What went wrong */
        Fault: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Fault"];
            };
        };
    };
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    listNotes: {
        parameters: {
            query: {
                limit: number;
                tag?: string;
            };
            header?: {
                /** @description The credentials by security scheme, for the type of `caller`. */
                Authorization?: Record<string, never>;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Notes, the oldest first */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Note"][];
                };
            };
            default: components["responses"]["Fault"];
        };
    };
    createNote: {
        parameters: {
            query?: never;
            header?: {
                /** @description The credentials by security scheme, for the type of `caller`. */
                Authorization?: Record<string, never>;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewNote"];
            };
        };
        responses: {
            /** @description The note as it was kept */
            201: {
                headers: {
                    Location: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Note"];
                };
            };
            default: components["responses"]["Fault"];
        };
    };
    getNote: {
        parameters: {
            query?: never;
            header?: {
                /** @description The credentials by security scheme, for the type of `caller`. */
                Authorization?: Record<string, never>;
            };
            path: {
                /** @example 1 */
                noteId: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The note */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Note"];
                };
            };
            404: components["responses"]["Fault"];
            default: components["responses"]["Fault"];
        };
    };
}
