/**
 * Counts the animals of each status.
 *
 * @param {import("@petstore/client").Petstore} petstore
 */
export async function inventory(petstore) {
  const counts = { available: 0, pending: 0, sold: 0 };
  for await (const { status } of petstore.paginate.listPets({ limit: 100 })) counts[status]++;
  return counts;
}
