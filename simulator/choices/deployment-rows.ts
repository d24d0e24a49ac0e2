import type { ChoiceRow } from './choice-rows.ts'

export const DEPLOYMENT_ROWS: readonly ChoiceRow[] = [
  {
    path: 'deployment.replicas',
    what: 'Replicas that public reads come from; with none, they come from the primary, as all other reads do',
    section: 'What the service does',
  },
  {
    path: 'deployment.replicaLagMs',
    what: 'How far the last replica is behind, in milliseconds; the others lag in even steps up to that',
    section: 'What the service does',
  },
  {
    path: 'deployment.gateways',
    what: 'Gateway nodes behind the one address of the feed, to which connections go in turn; a node may restart alone',
    section: 'Delivery',
  },
  {
    path: 'deployment.rollingRestartMs',
    what: 'How often the next node restarts, in milliseconds: a gateway node closes its sockets, a REST node drains',
    section: 'Delivery',
  },
]
