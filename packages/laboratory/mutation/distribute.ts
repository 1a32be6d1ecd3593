/** Runs `work` on every item. Each sandbox works on one item at a time. Results have the order of the items. */
export async function distribute<Sandbox, Item, Result>(
  sandboxes: Sandbox[],
  items: Item[],
  work: (sandbox: Sandbox, item: Item, index: number) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  const waiting = items.entries();
  await Promise.all(
    sandboxes.map(async (sandbox) => {
      for (const [index, item] of waiting) results[index] = await work(sandbox, item, index);
    }),
  );
  return results;
}
