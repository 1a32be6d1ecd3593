export interface paths {
    "/answers": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Answers a question, token by token. A client that sends Last-Event-ID gets the rest */
        post: operations["answer"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/measurements": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Exports measurements, one JSON value in each line */
        get: operations["exportMeasurements"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/report": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Sends a file, whole or a range of it */
        get: operations["downloadReport"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/uploads": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Receives a file of up to 10 GiB */
        post: operations["upload"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/transfers": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Reports the other operations, as the server sees them */
        get: operations["watchTransfers"];
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
        Token: {
            text: string;
        };
        Measurement: {
            id: number;
            station: string;
            /** Format: date-time */
            time: string;
            celsius: number;
        };
        Upload: {
            name: string;
            size: number;
            sha256: string;
        };
        Transfer: {
            id: number;
            operation: string;
            /** @enum {string} */
            state: "running" | "finished" | "stopped";
            detail: string;
        };
    };
    responses: {
        /** @description What is wrong with the request */
        Problem: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": {
                    code: string;
                    message: string;
                };
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
    answer: {
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
                "application/json": {
                    question: string;
                };
            };
        };
        responses: {
            /** @description The tokens, and [DONE] after the last */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": components["schemas"]["Token"];
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    exportMeasurements: {
        parameters: {
            query: {
                rows: number;
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
            /** @description The measurements */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/jsonl": components["schemas"]["Measurement"];
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    downloadReport: {
        parameters: {
            query: {
                disposition: "attachment" | "inline";
            };
            header?: {
                Range?: string;
                /** @description The credentials by security scheme, for the type of `caller`. */
                Authorization?: Record<string, never>;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The report */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/plain; charset=utf-8": string;
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    upload: {
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
                "multipart/form-data": {
                    /** Format: binary */
                    file: string;
                };
            };
        };
        responses: {
            /** @description What has arrived */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Upload"];
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    watchTransfers: {
        parameters: {
            query?: never;
            header?: {
                /** @description The credentials by security scheme, for the type of `caller`. */
                Authorization?: Record<string, never>;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The transfers that begin and end from now on */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": components["schemas"]["Transfer"];
                };
            };
            default: components["responses"]["Problem"];
        };
    };
}
