/**
 * Adds the animals of a JSON file and prints the id of each. After a failure, run it again within 24 hours: no animal is added
 * twice. Each animal has an Idempotency-Key made of its position and content, and the service remembers it for 24 hours.
 *
 *   PETSTORE_URL=… PETSTORE_KEY=… node import-pets.js pets.json
 */
import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { createPetstore } from "@petstore/client";

const [file = "pets.json"] = process.argv.slice(2);
const petstore = createPetstore({
  baseUrl: process.env["PETSTORE_URL"] ?? "",
  apiKey: process.env["PETSTORE_KEY"] ?? "",
  onRetry: ({ code, delay }) => console.error(`${code}; retry in ${Math.round(delay)} ms`),
});

/** @type {import("@petstore/client").NewPet[]} */
const animals = JSON.parse(await readFile(file, "utf8"));
for (const [index, animal] of animals.entries()) {
  const key = createHash("sha256")
    .update(`${index} ${JSON.stringify(animal)}`)
    .digest("hex");
  const result = await petstore.createPet({ ...animal, "Idempotency-Key": key });
  if (result.ok) console.log(`${result.data.id} ${result.data.name}`);
  else {
    console.error(`Animal ${index} was not added: ${result.error.code}. ${result.error.message}`);
    process.exitCode = 1;
  }
}
