const actions = new Set<() => void>()

// Node warns of a leak at the eleventh listener, and a command may start any number of children.
process.once('exit', () => {
  for (const act of actions) act()
})

/** Calls `act` when this process exits, also if it is forced to. Returns a function that cancels that. */
export function atExit(act: () => void): () => void {
  actions.add(act)
  return () => void actions.delete(act)
}
