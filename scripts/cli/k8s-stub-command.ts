import { isIP } from 'node:net'
import { type Command, InvalidArgumentError } from 'commander'
import type { Io } from '../io.ts'
import type { Done } from './command-part.ts'
import { pullOptions } from './k8s-options.ts'
import { kubeName, memorySize, runName } from './k8s-values.ts'
import { decimal, wholeNumber } from './option-values.ts'
import { mutantOption, stubOptions } from './shared-options.ts'

/** `breakwater k8s stub`. */
export function k8sStubCommand(stub: Command, io: Io, done: Done): void {
  stub.description(
    'print the objects of a stub exchange, a target of loads in a cluster, for `kubectl apply -f -`',
  )
  pullOptions(stubOptions(stub), { used: 'has breakwater' })
    .addOption(mutantOption())
    .option(
      '--faults <plan>',
      'what goes wrong from the start: a plan of fixtures/faults, or a .json file of your own',
    )
    .option(
      '--service-rate <number>',
      'let REST requests wait in a queue that serves so many a second',
      wholeNumber(100_000, { min: 1 }),
    )
    .option('--name <name>', 'of all its objects', runName, 'stub')
    .option('--namespace <name>', 'written into each of them (default: none)', kubeName)
    .option(
      '--cluster-ip <address>',
      'of its Service: its address where the cluster has no DNS',
      serviceAddress,
    )
    .option('--cpu <cores>', 'of its pod', decimal('cores', { min: 0.05, max: 256 }), 1)
    .option('--memory <size>', 'of its pod, such as 2Gi (default: 512Mi)', memorySize)
    .option('--profile <file>', "write that stub's target profile there, for `k8s run`")
    .option('--json', 'print them as a List in JSON')
    .action(async ({ memory, ...options }) =>
      done(
        await (await import('../commands/k8s-stub.ts')).runK8sStub({
          ...options,
          memoryBytes: memory ?? MEMORY_BYTES,
          io,
        }),
      ),
    )
}

const MEMORY_BYTES = 512 * 2 ** 20

function serviceAddress(text: string): string {
  if (isIP(text) === 0)
    throw new InvalidArgumentError("Expected an IP address of the cluster's range for Services.")
  return text
}
