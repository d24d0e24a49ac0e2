import { CHANGE_WIDTH, type Changes } from '../undo-log.ts'

/** Structure of plain data: one line for each path and type of value seen there. */
export type Shape = Set<string>

/** Adds the structure of `value`. Map entries, set members and array items share a path; objects with a `kind` have one per kind. */
export function addShape(shape: Shape, value: unknown, path: string): void {
  if (value instanceof Map) {
    shape.add(`${path}: map`)
    for (const [key, entry] of value) {
      addShape(shape, key, `${path}{key}`)
      addShape(shape, entry, `${path}{}`)
    }
  } else if (value instanceof Set) {
    shape.add(`${path}: set`)
    for (const member of value) addShape(shape, member, `${path}{member}`)
  } else if (Array.isArray(value) && path.endsWith('journal.blocks[]')) {
    addChanges(shape, value)
  } else if (Array.isArray(value)) {
    shape.add(`${path}: list`)
    for (const item of value) addShape(shape, item, `${path}[]`)
  } else if (typeof value === 'object' && value !== null) {
    addFields(shape, value, path)
  } else {
    shape.add(`${path}: ${value === null ? 'null' : typeof value}`)
  }
}

function addFields(shape: Shape, value: object, path: string): void {
  const at = 'kind' in value ? `${path}<${value.kind}>` : path
  shape.add(`${at}: object`)
  for (const [name, field] of Object.entries(value)) addShape(shape, field, `${at}.${name}`)
}

/** All journals have the same structure, and their contents are copies and parts of other state: which ones is random. */
function addChanges(shape: Shape, changes: Changes): void {
  for (let place = 0; place < changes.length; place += CHANGE_WIDTH) shape.add(`journal<${changes[place]}>`)
}
