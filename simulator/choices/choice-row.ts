/** Describes a choice next to its schema; docs/reference/choices.md has one row for each. */
import { z } from 'zod'

export type ChoiceRow = {
  group: string
  what: string
  section: string
  /** Shown instead of a function value. */
  example?: ((value: never) => string) | undefined
}

const ROWS = z.registry<ChoiceRow, z.core.$ZodType>()

/** Returns a function that adds a row to a schema, in this group of the page. */
export function open(group: string) {
  return <Schema extends z.ZodType>(
    schema: Schema,
    what: string,
    section: string,
    example?: (value: z.output<Schema>) => string,
  ): Schema => {
    ROWS.add(schema, { group, what, section, example })
    return schema
  }
}

/** Lists the rows in a schema, with their paths. Throws RangeError for a value without a row. */
export function listRows(
  schema: z.core.$ZodType,
  path: readonly string[] = [],
): (ChoiceRow & { path: string })[] {
  const row = ROWS.get(schema)
  if (row) return [{ ...row, path: path.join('.') }]
  if (!(schema instanceof z.ZodObject)) throw new RangeError(`${path.join('.')} is a choice without a row`)
  return Object.entries(schema.shape).flatMap(([name, below]) => listRows(below, [...path, name]))
}

export function callable<Call extends (...values: never[]) => unknown>() {
  return z.custom<Call>((value) => typeof value === 'function')
}
