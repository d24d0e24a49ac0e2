import { proveCapacity } from '../proofs/capacity.ts'

/** Searches for a known capacity, also with generators that saturate first: results and durations. */
export async function benchCapacity({
  k6,
  print,
}: {
  k6: string
  print: (line: string) => void
}): Promise<void> {
  await proveCapacity({
    k6,
    report: (name, problem, found) => {
      print(`  ${name}: ${found}`)
      if (problem !== undefined) print(`    WRONG: ${problem}`)
    },
  })
}
