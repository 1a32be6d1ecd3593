import type { Impact } from "../ratings.ts";

/** A kind of change to the contract: how its text changes, and what that means for clients by our judgement. */
export interface ChangeKind {
  change: [text: string | RegExp, change: string][];
  impact: Impact;
  /** Redocly's rating, where ours overrules it. */
  redocly?: Impact;
}

/** The kinds of change that somebody may make to the contract of the petstore. */
export const CHANGE_KINDS: Record<string, ChangeKind> = {
  // Paths and operations
  "a path is removed": {
    change: [[/^ {2}\/pets\/\{petId\}:\n(?: {4}.*\n|\n)+/m, ""]],
    impact: "breaking",
  },
  "a path is renamed": { change: [["  /pets:\n", "  /animals:\n"]], impact: "breaking" },
  "a path is added": {
    change: [
      [
        "  /pets/{petId}:\n",
        `  /ping:\n    get:\n      operationId: ping\n      tags: [Pets]\n      security: []\n      responses:\n        "204":\n          description: Alive.\n\n  /pets/{petId}:\n`,
      ],
    ],
    impact: "additive",
  },
  "an operation is removed": { change: [[/^ {4}post:\n(?: {6}.*\n|\n)+(?= {2}\S)/m, ""]], impact: "breaking" },
  "an operation's method changes": { change: [["    post:\n", "    put:\n"]], impact: "breaking" },
  "an operationId changes": { change: [["operationId: createPet", "operationId: addPet"]], impact: "breaking" },
  "a path parameter is renamed": {
    change: [
      ["/pets/{petId}:", "/pets/{id}:"],
      ["name: petId", "name: id"],
    ],
    impact: "breaking",
    redocly: "documentation",
  },
  "an operation is deprecated": {
    change: [["      operationId: listPets\n", "      operationId: listPets\n      deprecated: true\n"]],
    impact: "additive",
    redocly: "documentation",
  },
  "a sunset is brought forward": {
    change: [['x-sunset: "2030-12-05"', 'x-sunset: "2028-12-05"']],
    impact: "additive",
    redocly: "documentation",
  },
  "a description changes": {
    change: [["summary: List animals", "summary: List the animals"]],
    impact: "documentation",
  },
  "an example changes": { change: [["value: 10\n", "value: 11\n"]], impact: "documentation" },
  "an example is added": {
    change: [
      [
        "        empty:\n",
        "        other:\n                  summary: None\n                  value: []\n                empty:\n",
      ],
    ],
    impact: "documentation",
    redocly: "additive",
  },
  "an operation gets another tag": {
    change: [["      tags: [Pets]\n      summary: Add", "      tags: [Store]\n      summary: Add"]],
    impact: "documentation",
  },

  // Parameters
  "a required parameter is added": {
    change: [
      [
        '        - $ref: "#/components/parameters/Cursor"\n',
        '        - $ref: "#/components/parameters/Cursor"\n        - name: shop\n          in: query\n          required: true\n          schema:\n            type: boolean\n',
      ],
    ],
    impact: "breaking",
  },
  "an optional parameter is added": {
    change: [
      [
        '        - $ref: "#/components/parameters/Cursor"\n',
        '        - $ref: "#/components/parameters/Cursor"\n        - name: shop\n          in: query\n          schema:\n            type: boolean\n',
      ],
    ],
    impact: "additive",
  },
  "a parameter is removed": {
    change: [['        - $ref: "#/components/parameters/Cursor"\n', ""]],
    impact: "breaking",
  },
  "a parameter becomes required": {
    change: [["      name: limit\n      in: query\n", "      name: limit\n      in: query\n      required: true\n"]],
    impact: "breaking",
  },
  "a parameter is renamed": { change: [["name: limit\n", "name: pageSize\n"]], impact: "breaking" },
  "a parameter moves to another place": {
    change: [["name: Idempotency-Key\n      in: header", "name: Idempotency-Key\n      in: query"]],
    impact: "breaking",
  },
  "a parameter's maximum shrinks": { change: [["maximum: 100\n", "maximum: 50\n"]], impact: "breaking" },
  "a parameter's maximum grows": {
    change: [["maximum: 100\n", "maximum: 200\n"]],
    impact: "additive",
    redocly: "documentation",
  },
  "a parameter's default changes": {
    change: [["default: 20", "default: 10"]],
    impact: "breaking",
    redocly: "documentation",
  },
  "a parameter's pattern changes": { change: [["pattern: ^[A-Za-z0-9_-]+$", "pattern: ^[A-Z]+$"]], impact: "breaking" },
  "a parameter's type changes": {
    change: [
      [
        "        type: integer\n        minimum: 1\n        maximum: 100\n        default: 20\n",
        "        type: string\n        maxLength: 3\n",
      ],
    ],
    impact: "breaking",
  },

  "an enum of requests alone widens": {
    change: [
      [
        /(name: status\n(?: .*\n){2} +schema:\n) +\$ref: .*\n/,
        "$1        type: string\n        enum: [available, pending, sold, lost]\n",
      ],
    ],
    impact: "additive",
    redocly: "documentation",
  },
  "a required parameter becomes optional": {
    change: [[/(name: petId\n +in: path\n) +required: true\n/, "$1      required: false\n"]],
    impact: "additive",
    redocly: "documentation",
  },

  // Requests
  "a required field is added to a request": {
    change: [
      ["required: [name, categoryId]\n", "required: [name, categoryId, shop]\n"],
      [
        "      additionalProperties: false\n      properties:\n",
        "      additionalProperties: false\n      properties:\n        shop:\n          type: boolean\n",
      ],
    ],
    impact: "breaking",
  },
  "an optional field is added to a request": {
    change: [
      [
        "      additionalProperties: false\n      properties:\n",
        "      additionalProperties: false\n      properties:\n        shop:\n          type: boolean\n",
      ],
    ],
    impact: "additive",
  },
  "a field of a request becomes required": {
    change: [["required: [name, categoryId]\n", "required: [name, categoryId, status]\n"]],
    impact: "breaking",
  },
  "a field of a request becomes optional": {
    change: [["required: [name, categoryId]\n", "required: [name]\n"]],
    impact: "additive",
    redocly: "documentation",
  },
  "a field is removed from a request": {
    change: [[/ {8}status:\n.*\n {10}description: Availability of the animal\. `available`.*\n.*\n/, ""]],
    impact: "breaking",
  },
  "a default of a request changes": {
    change: [["default: available", "default: pending"]],
    impact: "breaking",
    redocly: "documentation",
  },
  "a default of a request is dropped": {
    change: [["          default: available\n", ""]],
    impact: "breaking",
    redocly: "documentation",
  },
  "a request body becomes optional": {
    change: [["        required: true\n        content:", "        required: false\n        content:"]],
    impact: "additive",
    redocly: "documentation",
  },
  "a request's media type changes": {
    change: [
      [
        "        required: true\n        content:\n          application/json:",
        "        required: true\n        content:\n          application/xml:",
      ],
    ],
    impact: "breaking",
  },
  "a request takes another media type too": {
    change: [
      [
        "        required: true\n        content:\n",
        '        required: true\n        content:\n          application/merge-patch+json:\n            schema:\n              $ref: "#/components/schemas/NewPet"\n',
      ],
    ],
    impact: "additive",
  },
  "a request's field may be null": {
    change: [
      [
        /NewPet:\n(.*\n){6} {10}\$ref: "#\/components\/schemas\/PetName"/,
        `NewPet:\n      type: object\n      description: An animal to add.\n      required: [name, categoryId]\n      additionalProperties: false\n      properties:\n        name:\n          type: [string, "null"]\n          maxLength: 255`,
      ],
    ],
    impact: "additive",
    redocly: "documentation",
  },

  // Responses
  "a field is removed from a response": {
    change: [
      [
        /^ {6}required: \[id, name, categoryId, status\]\n {6}properties:\n.*\n.*\n {8}name:\n.*\n/m,
        '      required: [id, categoryId, status]\n      properties:\n        id:\n          $ref: "#/components/schemas/PetId"\n',
      ],
    ],
    impact: "breaking",
  },
  "a field of a response becomes optional": {
    change: [["required: [id, name, categoryId, status]", "required: [id, name, categoryId]"]],
    impact: "breaking",
  },
  "a field is added to a response": {
    change: [
      [
        "required: [id, name, categoryId, status]\n      properties:\n",
        "required: [id, name, categoryId, status]\n      properties:\n        shop:\n          type: boolean\n",
      ],
    ],
    impact: "additive",
  },
  "a required field is added to a response": {
    change: [
      [
        "required: [id, name, categoryId, status]\n      properties:\n",
        "required: [id, name, categoryId, status, shop]\n      properties:\n        shop:\n          type: boolean\n",
      ],
    ],
    impact: "additive",
  },
  "an enum of requests and responses widens": {
    change: [["enum: [available, pending, sold]", "enum: [available, pending, sold, lost]"]],
    impact: "breaking",
  },
  "an enum of requests and responses narrows": {
    change: [["enum: [available, pending, sold]", "enum: [available, sold]"]],
    impact: "breaking",
  },
  "a response's field may be null": {
    change: [[/code:\n {10}type: string/, 'code:\n          type: [string, "null"]']],
    impact: "breaking",
  },
  "a response's bound widens": { change: [["maxItems: 100", "maxItems: 200"]], impact: "breaking" },
  "a response's bound narrows": {
    change: [["maxItems: 100", "maxItems: 50"]],
    impact: "additive",
    redocly: "documentation",
  },
  "a response's status is removed": { change: [[/ {8}"404":\n.*\n/, ""]], impact: "breaking" },
  "a response's status is added": {
    change: [
      ['        "409":\n', '        "402":\n          $ref: "#/components/responses/InvalidRequest"\n        "409":\n'],
    ],
    impact: "additive",
  },
  "a success status changes": { change: [['        "201":\n', '        "200":\n']], impact: "breaking" },
  "a response's header is removed": { change: [[/ {12}Sunset:\n(?: {14}.*\n)+/, ""]], impact: "breaking" },
  "a response's header is added": {
    change: [
      [
        "            Sunset:\n",
        "            X-Age:\n              description: Age.\n              schema:\n                type: integer\n            Sunset:\n",
      ],
    ],
    impact: "additive",
  },
  "a response's media type changes": {
    change: [
      [
        / {10}content:\n {12}application\/json:\n {14}schema:\n {16}\$ref: "#\/components\/schemas\/Pets"/,
        '          content:\n            application/xml:\n              schema:\n                $ref: "#/components/schemas/Pets"',
      ],
    ],
    impact: "breaking",
  },
  "a response is closed to more fields": {
    change: [
      [
        "      description: An animal as the service returns it.\n",
        "      description: An animal as the service returns it.\n      additionalProperties: false\n",
      ],
    ],
    impact: "additive",
    redocly: "documentation",
  },

  // Security and servers
  "an operation needs another scope": {
    change: [["- bearerAuth: [pets:write]", "- bearerAuth: [pets:admin]"]],
    impact: "breaking",
  },
  "an operation needs no key any more": {
    change: [["      security:\n        - bearerAuth: [pets:write]\n", "      security: []\n"]],
    impact: "additive",
    redocly: "documentation",
  },
  "a security scheme changes": { change: [["scheme: bearer", "scheme: basic"]], impact: "breaking" },
  "a server is removed": {
    change: [["  - url: https://staging.petstore.example/v1\n    description: Staging\n", ""]],
    impact: "breaking",
  },
  "a server is added": {
    change: [
      [
        "  - url: https://staging",
        "  - url: https://eu.petstore.example/v1\n    description: Europe\n  - url: https://staging",
      ],
    ],
    impact: "additive",
  },
};
