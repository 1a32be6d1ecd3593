import { type ChangeKind, header, INTEGER, STRING } from "./change-kind.ts";

/** The changes to headers of responses. */
export const RESPONSE_HEADERS: Record<string, ChangeKind> = {
  "a response's header is added": {
    ...header(undefined, { schema: STRING }),
    messages: ['additive POST /pets: Response 200, header "ETag" is added. Clients ignore unknown headers.'],
    at: ["responses/200/headers/ETag"],
  },
  "a response's header is removed": {
    ...header({ schema: STRING }, undefined),
    messages: ['breaking POST /pets: Response 200, header "ETag" is removed. Clients that read it no longer get it.'],
    at: ["nowhere"],
  },
  "a response's header becomes optional": {
    ...header({ required: true, schema: STRING }, { schema: STRING }),
    messages: [
      'breaking POST /pets: Response 200, header "ETag" becomes optional. Widens the response: clients may not understand the new values.',
    ],
    at: ["nowhere"],
  },
  "a response's header becomes required": {
    ...header({ schema: STRING }, { required: true, schema: STRING }),
    messages: [
      'additive POST /pets: Response 200, header "ETag" becomes required. Narrows the response: the service promises more.',
    ],
    at: ["responses/200/headers/ETag/required"],
  },
  "a response's header is deprecated": {
    ...header({ schema: STRING }, { deprecated: true, schema: STRING }),
    messages: [
      'additive POST /pets: Response 200, header "ETag" is deprecated. A deprecation is announced with a minor version (Semantic Versioning, item 7).',
    ],
    at: ["responses/200/headers/ETag/deprecated"],
  },
  "a response's header changes its type": {
    ...header({ schema: STRING }, { schema: INTEGER }),
    messages: [
      'breaking POST /pets: Response 200, header "ETag": the type changes from string to integer. Changes the response: clients may not understand the new values.',
    ],
    at: ["responses/200/headers/ETag/schema/type"],
  },
};
