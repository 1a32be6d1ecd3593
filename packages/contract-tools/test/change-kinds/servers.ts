import { type ChangeKind, contract, document, EU, operation, path, servers, US, withOperation } from "./change-kind.ts";

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
      'breaking servers: The variables of the server "https://{at}.example" change. Clients may call another address than today.',
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
