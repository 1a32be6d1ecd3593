/**
 * A backend that shows animals to its own users. It hides the API key and the petstore's errors from them.
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
  const result = await petstore.listPets({ status: "available", limit: 20 }, { signal: untilClosed(response) });
  if (result.ok) response.json(result.data.map(publicFields));
  else unavailable(response, result);
});

app.post("/animals", async (request, response) => {
  const { name, categoryId } = request.body as { name: string; categoryId: number }; // The petstore validates them.
  // A second click sends the same key and adds no second animal.
  const key = request.get("Idempotency-Key") ?? randomUUID();
  const result = await petstore.createPet({ name, categoryId, "Idempotency-Key": key });
  if (result.ok) response.status(201).json(publicFields(result.data));
  else if (result.status === 400) response.status(400).json({ error: result.error.message });
  else unavailable(response, result);
});

const server = app.listen(Number(process.env["PORT"] ?? 3001), () =>
  console.log(`port: ${(server.address() as AddressInfo).port}`),
);

function publicFields({ id, name }: Pet): { id: number; name: string } {
  return { id, name };
}

/** Logs the error and hides it from the user. The code `unauthorized` means a wrong API key; others may mean an outage. */
function unavailable(
  response: Response,
  { status, error }: { status: number; error: { code: string; message: string } },
) {
  console.error(`petstore: ${status} ${error.code}. ${error.message}`);
  response.status(503).json({ error: "The animals are not available at the moment." });
}

/** Returns a signal that is aborted when the user disconnects, so that no request runs without a reader. */
function untilClosed(response: Response): AbortSignal {
  const closed = new AbortController();
  response.on("close", () => closed.abort());
  return closed.signal;
}
