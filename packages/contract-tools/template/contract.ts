/** In place of the types that a service generates from its contract. */
export interface OperationsWithDefaults {
  listExhibits: { responses: { 200: { content: { "application/json": string[] } } } };
  addExhibit: { responses: { 201: { content: { "application/json": string } } } };
}

export interface OperationIdsByTag {
  "Special exhibits": "listExhibits" | "addExhibit";
}
