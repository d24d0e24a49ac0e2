import type { Comparison } from '../../contract/comparison.ts'
import type { Paint } from '../verdict-table.ts'
export function comparisonTable(comparison: Comparison, paint?: Paint): string[] {
  return [paint === undefined ? comparison.verdict : paint.bold(comparison.verdict)]
}
