/** What is kept of each owner, made when it is first asked for, gone with it. */
export function ofEach<Owner extends object, State>(create: () => State): (owner: Owner) => State {
  const states = new WeakMap<Owner, State>()
  return (owner) => {
    const known = states.get(owner)
    if (known !== undefined) return known
    const state = create()
    states.set(owner, state)
    return state
  }
}
