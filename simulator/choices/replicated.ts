import type { Choices } from './choices.ts'
import { plain } from './plain.ts'

/**
 * `plain`, served by several nodes as a deployment is: public reads come from replicas that are behind, each by a time of its
 * own, and sockets are shared out among gateway nodes. The specification promises neither that two reads show the same moment
 * nor that all sockets end at once.
 */
export const replicated: Choices = {
  ...plain,
  name: 'replicated',
  // What was just listed is then at the top of the first page, where clients read.
  paging: { ...plain.paging, pools: 'newest first', tokens: 'newest first' },
  tokenForm: 'JWT',
  swapTrade: 'shown',
  explorePools: { ...plain.explorePools, valuation: 'quoted' },
  deployment: { replicas: 3, replicaLagMs: 800, gateways: 2, rollingRestartMs: null },
}
