/** Runs each item, at most `jobs` at a time. Rejects at the first run that throws. */
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
