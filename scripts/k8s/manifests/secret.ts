import type { ScenarioConfig, Target, WorldName } from '../../../contract/scenario-config.ts'
import { loadConfig } from '../../load/load-config.ts'
import { scenarioConfigOf } from '../../smoke/scenario-config-of.ts'
import { oneTarget } from '../../smoke/worlds.ts'
import type { KubeObject } from '../api/kube-object.ts'
import type { ClusterLoadPlan } from '../cluster-load.ts'
import { offeredLoadOf } from '../offered-load.ts'
import type { ManifestParts } from './manifest-parts.ts'
import { metadataOf } from './metadata.ts'
import { requireRoom } from './require-room.ts'

/**
 * All that is secret of a run: what the script is told (with wallets and API tokens), the collector's token, certificates, and
 * settings of further outputs. Throws a BreakwaterError (usage) where it is more than a Secret holds.
 */
export function secretOf(plan: ClusterLoadPlan, parts: ManifestParts): KubeObject {
  const { token, ca, settings } = parts
  const values = {
    'config.json': JSON.stringify(configOf(plan)),
    token,
    ...(ca !== null && { 'ca.pem': ca }),
    ...settings,
  }
  requireRoom(
    values,
    'Secret',
    `It holds ${plan.target.wallets.length} wallets: name fewer in the profile, as one can sign in for many clients.`,
  )
  const base64 = Object.entries(values).map(([key, text]) => [key, Buffer.from(text).toString('base64')])
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: metadataOf(plan.cluster.name, 'run', parts),
    type: 'Opaque',
    data: Object.fromEntries(base64),
  }
}

/** Its certificates are named to k6 itself; where they lie here is nothing to the cluster. */
function configOf(plan: ClusterLoadPlan): ScenarioConfig {
  const { target } = plan
  return scenarioConfigOf({
    worlds: oneWithWallets({ ...target, profile: { ...target.profile, ca: null } }),
    plan: { ...loadConfig(plan, offeredLoadOf(plan)), checkTarget: true },
  })
}

/** A load asks for the main world alone: its wallets need not be there for each of the others. */
function oneWithWallets(target: Target): Record<WorldName, Target> {
  const { byName } = oneTarget({ ...target, wallets: [] })
  return { ...byName, main: target }
}
