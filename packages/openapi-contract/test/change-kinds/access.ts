import {
  BEARER,
  type ChangeKind,
  contract,
  document,
  EU,
  flows,
  operation,
  path,
  scheme,
  secured,
  servers,
  US,
  withOperation,
} from "./change-kind.ts";

/** The changes to security schemes and requirements. */
export const SECURITY: Record<string, ChangeKind> = {
  "an operation requires another scope": {
    ...secured([{ key: ["read"] }], [{ key: ["read", "write"] }]),
    messages: [
      "breaking POST /pets: The security changes from key (read) to key (read) and key (write). The credentials that clients send today no longer suffice.",
    ],
    at: ["security"],
  },
  "an operation requires one scope less": {
    ...secured([{ key: ["read", "write"] }], [{ key: ["read"] }]),
    messages: [
      "additive POST /pets: The security changes from key (read) and key (write) to key (read). The credentials that clients send today still suffice.",
    ],
    at: ["security"],
  },
  "an operation requires a key": {
    ...secured([], [{ key: [] }]),
    messages: [
      "breaking POST /pets: The security changes from none to key. The credentials that clients send today no longer suffice.",
    ],
    at: ["security"],
  },
  "an operation no longer requires a key": {
    ...secured([{ key: [] }], []),
    messages: [
      "additive POST /pets: The security changes from key to none. The credentials that clients send today still suffice.",
    ],
    at: ["security"],
  },
  "a key becomes optional": {
    ...secured([{ key: [] }], [{}, { key: [] }]),
    messages: [
      "additive POST /pets: The security changes from key to none, or key. The credentials that clients send today still suffice.",
    ],
    at: ["security"],
  },
  "another way to authenticate is added": {
    ...secured([{ key: [] }], [{ key: [] }, { app: [] }]),
    messages: [
      "additive POST /pets: The security changes from key to key, or app. The credentials that clients send today still suffice.",
    ],
    at: ["security"],
  },
  "a second way to authenticate is required": {
    ...secured([{ key: [] }], [{ key: [], app: [] }]),
    messages: [
      "breaking POST /pets: The security changes from key to app and key. The credentials that clients send today no longer suffice.",
    ],
    at: ["security"],
  },
  "a way to authenticate is removed": {
    ...secured([{ key: [] }, { app: [] }], [{ key: [] }]),
    messages: [
      "breaking POST /pets: The security changes from key, or app to key. The credentials that clients send today no longer suffice.",
    ],
    at: ["security"],
  },
  "a security scheme changes": {
    ...scheme(BEARER, { ...BEARER, scheme: "basic" }),
    messages: [
      'breaking components/securitySchemes/key: `scheme` changes from "bearer" to "basic". Clients have to authenticate in another way.',
    ],
    at: ["components/securitySchemes/key/scheme"],
  },
  "a security scheme changes its letter case": {
    ...scheme(BEARER, { ...BEARER, scheme: "Bearer" }),
    messages: ["documentation the document: Only the notation changes. Nothing changes for clients."],
    at: ["nowhere"],
  },
  "a key in a header changes its letter case": {
    ...scheme({ type: "apiKey", in: "header", name: "X-Key" }, { type: "apiKey", in: "header", name: "X-KEY" }),
    messages: ["documentation the document: Only the notation changes. Nothing changes for clients."],
    at: ["nowhere"],
  },
  "a key in the query changes its letter case": {
    ...scheme({ type: "apiKey", in: "query", name: "key" }, { type: "apiKey", in: "query", name: "Key" }),
    messages: [
      'breaking components/securitySchemes/key: `name` changes from "key" to "Key". Clients have to authenticate in another way.',
    ],
    at: ["components/securitySchemes/key/name"],
  },
  "a bearer format is named": {
    ...scheme(BEARER, { ...BEARER, bearerFormat: "JWT" }),
    messages: [
      "documentation components/securitySchemes/key: `bearerFormat` is added. A description promises nothing.",
    ],
    at: ["components/securitySchemes/key/bearerFormat"],
  },
  "a flow's address changes": {
    ...scheme(
      flows({ tokenUrl: "https://a.example", scopes: {} }),
      flows({ tokenUrl: "https://b.example", scopes: {} }),
    ),
    messages: [
      "breaking components/securitySchemes/key: The flow `clientCredentials` changes. Clients have to get their tokens in another way.",
    ],
    at: ["components/securitySchemes/key/flows/clientCredentials"],
  },
  "a scope has a new description": {
    ...scheme(
      flows({ tokenUrl: "https://a.example", scopes: { read: "Read.", write: "Write." } }),
      flows({ tokenUrl: "https://a.example", scopes: { read: "Read pets.", write: "Write." } }),
    ),
    messages: [
      'documentation components/securitySchemes/key: The scope "read" of the flow `clientCredentials` has a new description. A description promises nothing.',
    ],
    at: ["components/securitySchemes/key/flows/clientCredentials"],
  },
  "a flow is added": {
    ...scheme({ type: "oauth2", flows: {} }, flows({ tokenUrl: "https://a.example", scopes: {} })),
    messages: [
      "additive components/securitySchemes/key: The flow `clientCredentials` is added. Clients need not use it.",
    ],
    at: ["components/securitySchemes/key/flows/clientCredentials"],
  },
  "a flow is removed": {
    ...scheme(flows({ tokenUrl: "https://a.example", scopes: {} }), { type: "oauth2" }),
    messages: [
      "breaking components/securitySchemes/key: The flow `clientCredentials` is removed. Clients may use it today.",
    ],
    at: ["nowhere"],
  },
  "a key moves to another header": {
    ...scheme({ type: "apiKey", in: "header", name: "Key" }, { type: "apiKey", in: "header", name: "X-Key" }),
    messages: [
      'breaking components/securitySchemes/key: `name` changes from "Key" to "X-Key". Clients have to authenticate in another way.',
    ],
    at: ["components/securitySchemes/key/name"],
  },
  "an operation inherits its security from the document": {
    before: contract({ ...withOperation({ security: [{ key: [] }] }), security: [{ app: [] }] }),
    after: contract({ ...withOperation({}), security: [{ app: [] }] }),
    messages: [
      "breaking POST /pets: The security changes from key to app. The credentials that clients send today no longer suffice.",
    ],
    at: ["paths//pets/post"],
  },
  "ways to authenticate are listed in another order": {
    ...secured([{ key: ["a", "b"] }, { app: [] }], [{ app: [] }, { key: ["b", "a"] }]),
    messages: ["documentation the document: Only the notation changes. Nothing changes for clients."],
    at: ["nowhere"],
  },
  "a scope is offered": {
    ...scheme(
      flows({ tokenUrl: "https://a.example", scopes: {} }),
      flows({ tokenUrl: "https://a.example", scopes: { read: "Read." } }),
    ),
    messages: [
      'additive components/securitySchemes/key: The scope "read" of the flow `clientCredentials` is added. Clients need not ask for it.',
    ],
    at: ["components/securitySchemes/key/flows/clientCredentials"],
  },
  "a scope is no longer offered": {
    ...scheme(
      flows({ tokenUrl: "https://a.example", scopes: { read: "Read." } }),
      flows({ tokenUrl: "https://a.example", scopes: {} }),
    ),
    messages: [
      'breaking components/securitySchemes/key: The scope "read" of the flow `clientCredentials` is removed. Clients may ask for it today.',
    ],
    at: ["components/securitySchemes/key/flows/clientCredentials"],
  },
};

/** The changes to servers. */
export const SERVERS: Record<string, ChangeKind> = {
  "a server is removed": {
    ...servers([EU, US], [EU]),
    messages: ['breaking servers: The server "https://us.shop.example/v1" is removed. Clients call it today.'],
    at: ["servers"],
  },
  "a server is added": {
    ...servers([EU], [EU, US]),
    messages: ['additive servers: The server "https://us.shop.example/v1" is added. Clients need not call it.'],
    at: ["servers"],
  },
  "another server comes first": {
    ...servers([EU, US], [US, EU]),
    messages: [
      'breaking servers: The first server changes from "https://eu.shop.example/v1" to "https://us.shop.example/v1". Generated clients call the first server by default.',
    ],
    at: ["servers"],
  },
  "a server is described": {
    ...servers([EU], [{ ...EU, description: "Europe" }]),
    messages: ["documentation servers/0: `description` is added. A description promises nothing."],
    at: ["servers/0/description"],
  },
  "a variable of a server has another default": {
    ...servers(
      [{ url: "https://{at}.example", variables: { at: { default: "eu" } } }],
      [{ url: "https://{at}.example", variables: { at: { default: "us" } } }],
    ),
    messages: [
      'breaking servers: The variables of the server "https://{at}.example" change. Clients may call a different address than today.',
    ],
    at: ["servers"],
  },
  "an operation moves to its own server": {
    ...operation({}, { servers: [US] }),
    messages: [
      'breaking POST /pets: The server "/" is removed. Clients call it today.',
      'additive POST /pets: The server "https://us.shop.example/v1" is added. Clients need not call it.',
    ],
    at: ["servers", "servers"],
  },
  "a path moves to its own servers": {
    ...document({ servers: [EU], paths: path("id") }, { servers: [EU], paths: path("id", { servers: [US] }) }),
    messages: [
      'breaking GET /pets/{id}: The server "https://eu.shop.example/v1" is removed. Clients call it today.',
      'additive GET /pets/{id}: The server "https://us.shop.example/v1" is added. Clients need not call it.',
    ],
    at: ["nowhere", "nowhere"],
  },
  "a path behind a reference moves to its own servers": {
    ...document(
      {
        servers: [EU],
        paths: { "/a": { $ref: "#/components/pathItems/A" } },
        components: { pathItems: { A: { get: {} } } },
      },
      {
        servers: [EU],
        paths: { "/a": { $ref: "#/components/pathItems/A" } },
        components: { pathItems: { A: { get: {}, servers: [EU, US] } } },
      },
    ),
    messages: ['additive GET /a: The server "https://us.shop.example/v1" is added. Clients need not call it.'],
    at: ["nowhere"],
  },
  "an operation loses its own servers": {
    ...operation({ servers: [US] }, {}),
    messages: [
      'breaking POST /pets: The server "https://us.shop.example/v1" is removed. Clients call it today.',
      'additive POST /pets: The server "/" is added. Clients need not call it.',
    ],
    at: ["nowhere", "nowhere"],
  },
  "an operation repeats the server of the document": {
    before: contract({ ...withOperation({}), servers: [EU] }),
    after: contract({ ...withOperation({ servers: [EU] }), servers: [EU] }),
    messages: ["documentation the document: Only the notation changes. Nothing changes for clients."],
    at: ["nowhere"],
  },
  "an unknown keyword is added to the document": {
    ...document({}, { jsonSchemaDialect: "https://example.com/own" }),
    messages: [
      "breaking the document: `jsonSchemaDialect` is added. The comparison does not support this keyword, so it cannot rule out that a client breaks.",
    ],
    at: ["jsonSchemaDialect"],
  },
};
