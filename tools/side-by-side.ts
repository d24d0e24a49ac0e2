/** Runs each of the items, at most as many at a time as there are jobs; a run that throws ends it all. */
export async function sideBySide<Item>(
  items: readonly Item[],
  jobs: number,
  run: (item: Item) => Promise<void>,
): Promise<void> {
  const waiting = items.values()
  const work = async () => {
    for (const item of waiting) await run(item)
  }
  await Promise.all(Array.from({ length: jobs }, work))
}
