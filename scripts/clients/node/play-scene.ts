import { type FaultPlan, faultPlanSchema } from '../../../simulator/faults/fault-plan.ts'
import { RIGHT_CONDUCT } from './conduct.ts'
import { SCENES, type Scene, type SceneName } from './scenes.ts'
import { testBed } from './test-bed.ts'
import type { WrongClient } from './wrong-clients.ts'

export type Found = { rule: string; observed: string; advice: string; evidence: unknown[] }

const FINDINGS_MAX = 1000

/** Lets a client go through a scene, alone at a stub of its own, and returns what the observer has found. */
export async function playScene(
  name: SceneName,
  { piece, plan }: { piece: WrongClient['piece']; plan?: FaultPlan },
): Promise<{ findings: Found[]; cases: Record<string, number> }> {
  const { stub = {}, fault, play }: Scene = SCENES[name]
  const faults =
    plan ?? (fault && faultPlanSchema.parse({ description: `Of the scene ${name}`, faults: [fault] }))
  const bed = await testBed({ ...stub, ...(faults && { faults }) })
  const [, wallet, other] = bed.stub.wallets
  const [apiToken] = bed.stub.apiTokens
  if (!wallet || !other || !apiToken) throw new Error('the stub has too few wallets')
  const stranger = bed.client({ as: { wallet: other } })
  const replaced =
    typeof piece === 'function' ? piece({ apiToken, stranger, strangerAddress: other.address }) : piece
  await play({ bed, conduct: { ...RIGHT_CONDUCT, ...replaced }, wallet })
  // as: what the control API answers
  return (await bed.control(`/findings?limit=${FINDINGS_MAX}`)) as Awaited<ReturnType<typeof playScene>>
}
