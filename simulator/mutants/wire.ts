import type { MutantTable } from './mutant-table.ts'

export const WIRE_MUTANTS = {
  'wire-fee-number': { breaks: 'the fee of a pool is a JSON number', rules: ['wire.pools.record'] },
} as const satisfies MutantTable
