import type { Command } from 'commander'
import type { Io } from '../io.ts'
import type { Done } from './command-part.ts'
import { clusterChoices, clusterOptions } from './k8s-options.ts'
import { kubeName } from './k8s-values.ts'

/** `breakwater k8s render`. */
export function k8sRenderCommand(render: Command, io: Io, done: Done): void {
  render.description(
    'print the objects of a load in a cluster as YAML, for `kubectl apply --server-side -f -`; they hold secrets',
  )
  clusterOptions(render, { named: 'breakwater' })
    .option('--namespace <name>', 'written into each of them (default: none)', kubeName)
    .option('--json', 'print them as a List in JSON')
    .action(async (options) =>
      done(
        await (await import('../commands/k8s-render.ts')).runK8sRender({ ...clusterChoices(options), io }),
      ),
    )
}
