import { RIGHT_CONDUCT } from '../../client/conduct.ts'
import { type FaultPlan, faultPlanSchema } from '../../simulator/faults/fault-plan.ts'
import type { DutyCounts } from '../../simulator/observer/findings.ts'
import { SCENES, type Scene, type SceneName } from './scenes.ts'
import { testBed } from './test-bed.ts'
import type { WrongClient } from './wrong-clients.ts'

export type SceneResult = {
  findings: { rule: string; client: string; observed: string; evidence: unknown[] }[]
  duties: Record<string, DutyCounts>
  triggered: number
}

const FINDINGS_MAX = 1000

/** Runs a client through a scene, alone at its own stub, and returns the observer's findings. */
export async function runScene(
  name: SceneName,
  { piece = {}, plan }: { piece?: WrongClient['piece']; plan?: FaultPlan } = {},
): Promise<SceneResult> {
  const { stub = {}, fault, run }: Scene = SCENES[name]
  const faults =
    plan ?? (fault && faultPlanSchema.parse({ description: `For the scene ${name}`, faults: [fault] }))
  const bed = await testBed({ ...stub, ...(faults && { faults }) }, { userAgent: findClient(faults) })
  const [, wallet, other] = bed.stub.wallets
  const [apiToken] = bed.stub.apiTokens
  if (!wallet || !other || !apiToken) throw new Error('the stub has too few wallets')
  const given = { apiToken, stranger: bed.client({ as: { wallet: other } }), strangerAddress: other.address }
  const replaced = typeof piece === 'function' ? piece(given) : piece
  // as: the control API's response
  const triggerCounts = async () =>
    ((await bed.control('/faults')) as { faults: { triggered: number }[] }).faults.map(
      ({ triggered }) => triggered,
    )
  let before: number[] = []
  const faultsBegin = async () => {
    before = await triggerCounts()
    if (faults) await bed.control('/faults', faults)
  }
  await run({ bed, conduct: { ...RIGHT_CONDUCT, ...replaced }, wallet, faultsBegin })
  // as: the control API's response
  const judged = (await bed.control(`/findings?limit=${FINDINGS_MAX}`)) as Omit<SceneResult, 'triggered'>
  return { ...judged, triggered: sum([...before, ...(await triggerCounts())]) }
}

/** A plan may apply to one client only: use its name. */
export function findClient(plan: FaultPlan | undefined): string | undefined {
  return /"userAgents":\["([^"*]+)"/.exec(JSON.stringify(plan) ?? '')?.[1]
}

function sum(counts: readonly number[]): number {
  return counts.reduce((total, count) => total + count, 0)
}
