/**
 * A backend that shows animals to its own users, who get neither the API key nor the petstore's errors to see.
 *
 *   npm install @petstore/client express
 *   PETSTORE_URL=… PETSTORE_KEY=… node server.ts
 */
import { randomUUID } from "node:crypto";
import type { AddressInfo } from "node:net";
import { createPetstore, type Pet } from "@petstore/client";
import express, { type Response } from "express";

const petstore = createPetstore({
  baseUrl: process.env["PETSTORE_URL"] ?? "",
  apiKey: process.env["PETSTORE_KEY"] ?? "",
  timeout: 5_000,
  onRetry: (retry) => console.warn(retry),
});
const app = express();
app.use(express.json());

app.get("/animals", async (_request, response) => {
  const result = await petstore.listPets({ status: "available", limit: 20 }, { signal: whileWanted(response) });
  if (result.ok) response.json(result.data.map(shown));
  else unavailable(response, result);
});

app.post("/animals", async (request, response) => {
  const { name, categoryId } = request.body as { name: string; categoryId: number }; // for the petstore to judge
  // A user who clicks again sends the key again, and adds one animal.
  const key = request.get("Idempotency-Key") ?? randomUUID();
  const result = await petstore.createPet({ name, categoryId, "Idempotency-Key": key });
  if (result.ok) response.status(201).json(shown(result.data));
  else if (result.status === 400) response.status(400).json({ error: result.error.message });
  else unavailable(response, result);
});

const server = app.listen(Number(process.env["PORT"] ?? 3001), () =>
  console.log(`port: ${(server.address() as AddressInfo).port}`),
);

function shown({ id, name }: Pet): { id: number; name: string } {
  return { id, name };
}

/** Logs what the user need not know: the code tells a wrong key (`unauthorized`) from an outage. */
function unavailable(
  response: Response,
  { status, error }: { status: number; error: { code: string; message: string } },
) {
  console.error(`petstore: ${status} ${error.code}. ${error.message}`);
  response.status(503).json({ error: "The animals are not available at the moment." });
}

/** Aborted when the user has gone away, so that nobody is asked for an answer that nobody reads. */
function whileWanted(response: Response): AbortSignal {
  const gone = new AbortController();
  response.on("close", () => gone.abort());
  return gone.signal;
}
