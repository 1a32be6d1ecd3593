/** A contract that follows every rule, with one operation and its tag. */
export const SMALL_CONTRACT = `openapi: 3.1.1

info:
  title: Things
  version: 1.0.0
  description: Things that are listed.
  license:
    name: MIT
    identifier: MIT

servers:
  - url: https://things.test/v1
    description: The service.

tags:
  - name: Things
    description: What there is.

paths:
  /things:
    get:
      operationId: listThings
      tags: [Things]
      summary: List things
      description: Returns the things.
      security: []
      responses:
        "200":
          $ref: "#/components/responses/Listed"
        "401": &refused
          $ref: "#/components/responses/Refused"
        "403": *refused
        "429": *refused
        "503": *refused
        default: *refused

components:
  headers:
    RequestId:
      description: The number of the request.
      schema:
        type: integer
        minimum: 0
        maximum: 9
  responses:
    Listed:
      description: The things.
      headers:
        X-Request-Id: &number
          $ref: "#/components/headers/RequestId"
        RateLimit: *number
        RateLimit-Policy: *number
      content:
        application/json:
          schema:
            $ref: "#/components/schemas/Things"
          example: [1]
    Refused:
      description: The request is refused.
  schemas:
    Things:
      type: array
      description: Things.
      maxItems: 9
      items:
        $ref: "#/components/schemas/Thing"
    Thing:
      type: integer
      description: A thing.
      minimum: 0
      maximum: 9
`;

/** The lint rules of that contract. */
export const SMALL_RULES = `extends:
  - recommended-strict

rules:
  operation-operationId: error
`;

/** An operation to add to that contract, below its `paths`. */
export function operationOn(path: string, operationId: string, tag: string): string {
  return `  ${path}:
    get:
      operationId: ${operationId}
      tags: [${tag}]
      summary: Also lists things
      description: Returns the same things.
      security: []
      responses:
        "200":
          $ref: "#/components/responses/Listed"
        "401": *refused
        "403": *refused
        "429": *refused
        "503": *refused
        default: *refused
`;
}
