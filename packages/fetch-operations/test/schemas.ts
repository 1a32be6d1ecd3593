/** Pieces of contracts in tests. */

export const string = { type: "string" };
export const json = (schema: object) => ({ description: "", content: { "application/json": { schema } } });
export const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });
export const query = (name: string, schema: object = string) => ({ name, in: "query", schema });
export const response = (content: object) => ({ description: "", content });
export const integer = { type: "integer" };
export const object = (properties: object, required: string[] = []) => ({ type: "object", properties, required });
