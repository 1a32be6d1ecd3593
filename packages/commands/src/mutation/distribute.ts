/** Does `work` on every item, as many at a time as there are places, each in a place of its own; results keep the items' order. */
export async function distribute<Place, Item, Result>(
  places: Place[],
  items: Item[],
  work: (place: Place, item: Item, index: number) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  const waiting = items.entries();
  await Promise.all(
    places.map(async (place) => {
      for (const [index, item] of waiting) results[index] = await work(place, item, index);
    }),
  );
  return results;
}
