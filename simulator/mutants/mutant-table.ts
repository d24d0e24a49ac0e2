import type { Deviation } from '../deviations/deviation.ts'

/** How a mutant breaks the stub, in words, and every rule that the breakage shows in. */
export type MutantTable = Readonly<Record<string, { breaks: string; rules: readonly string[] }>>

/** The same of mutants that are made of a deviation. */
export type DeviationTable = Readonly<
  Record<string, { breaks: string; rules: readonly string[]; deviates: Deviation }>
>
