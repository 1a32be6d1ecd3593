/** An operation with everything that a request can need, as it would stand in the contract below `paths`. */
export const BOOK_VISIT = `
  /pets/{petId}/visits:
    post:
      operationId: bookVisit
      tags: [Pets]
      summary: Book a visit
      description: Books a visit to an animal.
      security:
        - bearerAuth: [pets:write]
      parameters:
        - $ref: "#/components/parameters/PetId"
        - name: day
          in: query
          required: true
          description: The day of the visit.
          schema:
            type: string
            format: date
            maxLength: 10
          example: "2030-01-02"
        - name: Visitor
          in: header
          required: true
          description: Who visits.
          schema:
            type: string
            maxLength: 64
          example: Ada & Bob
      requestBody:
        required: true
        content:
          application/json:
            schema:
              type: object
              description: A visit.
              additionalProperties: false
              required: [guests]
              properties:
                guests:
                  type: integer
                  description: How many come along.
                  minimum: 1
                  maximum: 9
            examples:
              two:
                summary: Two guests
                value:
                  guests: 2
      responses:
        "201":
          description: The animal that is visited.
          headers:
            X-Request-Id:
              $ref: "#/components/headers/RequestId"
            RateLimit:
              $ref: "#/components/headers/RateLimit"
            RateLimit-Policy:
              $ref: "#/components/headers/RateLimitPolicy"
          content:
            application/json:
              schema:
                $ref: "#/components/schemas/Pet"
              examples:
                booked:
                  summary: Rex is visited
                  value:
                    id: 1
                    name: Rex
                    categoryId: 1
                    status: available
        "400":
          description: The request is invalid.
          content:
            application/json:
              schema:
                $ref: "#/components/schemas/Error"
        "401":
          $ref: "#/components/responses/Unauthorized"
        "403":
          $ref: "#/components/responses/Forbidden"
        "429":
          $ref: "#/components/responses/RateLimited"
        "503":
          $ref: "#/components/responses/Unavailable"
        default:
          $ref: "#/components/responses/Unexpected"
`;
