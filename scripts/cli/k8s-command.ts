import type { Command } from 'commander'
import type { Io } from '../io.ts'
import type { Done } from './command-part.ts'
import { k8sCollectCommand } from './k8s-collect-command.ts'
import { k8sGatherCommand } from './k8s-gather-command.ts'
import { k8sRenderCommand } from './k8s-render-command.ts'
import { k8sRunCommand } from './k8s-run-command.ts'
import { k8sStubCommand } from './k8s-stub-command.ts'

/** The subcommands of `breakwater k8s`. */
export function k8sCommand(k8s: Command, io: Io, done: Done): void {
  k8s.description("a load from many pods of a Kubernetes cluster, by Grafana's k6-operator")
  k8sRunCommand(k8s.command('run'), io, done)
  k8sGatherCommand(k8s.command('gather'), io, done)
  k8sRenderCommand(k8s.command('render'), io, done)
  k8sStubCommand(k8s.command('stub'), io, done)
  k8sCollectCommand(k8s.command('collect'), io, done)
}
