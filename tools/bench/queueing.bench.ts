import { proveQueueing, ROUNDS } from '../proofs/queueing/prove-queueing.ts'

/** Compares measured latencies with those that queueing theory gives for the same arrivals. */
export async function benchQueueing({
  k6,
  print,
}: {
  k6: string
  print: (line: string) => void
}): Promise<void> {
  print(`latency since requests were due, against queueing theory: ${ROUNDS} rounds`)
  await proveQueueing({
    k6,
    report(name, problem, found) {
      print(`  ${name}: ${found}`)
      if (problem !== undefined) print(`    MISSED: ${problem}`)
    },
  })
}
