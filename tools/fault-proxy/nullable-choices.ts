import { type Choices, choicesSchema } from '../../contract/profile.ts'

/** Dotted paths of all choices that a profile may leave untold. */
export function nullableChoices(choices: Choices): string[] {
  return pathsIn(choices).filter((path) => choicesSchema.safeParse(without(choices, [path])).success)
}

/** The choices with null at each of the paths. */
export function without(choices: Choices, paths: readonly string[]): Choices {
  const copy = structuredClone(choices)
  for (const path of paths) {
    const names = path.split('.')
    const last = names.pop() ?? ''
    const parent = names.reduce<unknown>((node, name) => (node as Record<string, unknown>)[name], copy) // as: the paths are its own
    Object.assign(parent as object, { [last]: null })
  }
  return copy
}

function pathsIn(node: object, before = ''): string[] {
  return Object.entries(node).flatMap(([name, value]) => {
    const path = `${before}${name}`
    const isNode = typeof value === 'object' && value !== null && !Array.isArray(value)
    return isNode ? [path, ...pathsIn(value, `${path}.`)] : [path]
  })
}
