export interface paths {
    "/photos": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["uploadPhoto"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/photos/{photoId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["downloadPhoto"];
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
        Photo: {
            id: number;
            title: string;
            owner: string;
            size: number;
        };
    };
    responses: {
        /** @description What went wrong */
        Fault: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": {
                    fault: string;
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
    uploadPhoto: {
        parameters: {
            query?: never;
            header?: {
                /** @description The credentials by security scheme, for the type of `caller`. */
                Authorization?: {
                    token: unknown;
                };
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "multipart/form-data": {
                    title: string;
                    /** Format: binary */
                    photo: string;
                };
            };
        };
        responses: {
            /** @description The photo as it was kept */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Photo"];
                };
            };
            default: components["responses"]["Fault"];
        };
    };
    downloadPhoto: {
        parameters: {
            query?: never;
            header?: {
                /** @description The credentials by security scheme, for the type of `caller`. */
                Authorization?: {
                    token: unknown;
                };
            };
            path: {
                photoId: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The photo itself */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "image/*": unknown;
                };
            };
            404: components["responses"]["Fault"];
            default: components["responses"]["Fault"];
        };
    };
}
