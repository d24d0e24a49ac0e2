import type { ChoiceSetName } from '../../../contract/choice-set-name.ts'
import type { MutantName } from '../../../simulator/mutants/mutants.ts'
import type { ClusterChoices } from '../cluster-load.ts'

/** A stub for loads in a cluster, checked. */
export type StubPlan = Pick<
  ClusterChoices,
  'name' | 'namespace' | 'image' | 'imagePullPolicy' | 'imagePullSecret' | 'cpu' | 'memoryBytes'
> & {
  /** A name of fixtures/worlds, or that of one of `files`. */
  world: string
  seed: number
  choices: ChoiceSetName
  mutant: MutantName | null
  /** REST requests a second that it has time for; null: as many as it can. */
  serviceRate: number | null
  /** Of its Service; null: as the cluster chooses. */
  clusterIp: string | null
  /** What it reads at its start, by name: a world of one's own, a fault plan. */
  files: Readonly<Record<string, string>>
  controlToken: string
}

/** Names of its files. */
export const WORLD_FILE = 'world.json'
export const FAULTS_FILE = 'faults.json'

/** Its listeners, in its pod and of its Service. The control API is the pod's alone: `kubectl port-forward` reaches it. */
export const STUB_PORTS = { rest: 8080, feed: 8081, control: 8082 } as const
