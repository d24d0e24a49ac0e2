import { proveCapacity } from '../proofs/capacity.ts'

/** Searches for a capacity that is known, and with generators that give out first: what they find, and how long they take. */
export async function benchCapacity({
  k6,
  print,
}: {
  k6: string
  print: (line: string) => void
}): Promise<void> {
  await proveCapacity({
    k6,
    tell: (name, problem, found) => {
      print(`  ${name}: ${found}`)
      if (problem !== undefined) print(`    WRONG: ${problem}`)
    },
  })
}
