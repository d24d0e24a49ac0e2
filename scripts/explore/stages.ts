/** Stages for the runs of `explore`: wallets that no run has used before as long as there are any, each with its target and witness. */
import type { Wallet } from '../../contract/profile.ts'
import type { Stage } from '../../explore/run-sequence.ts'
import type { NextStage } from '../../explore/search.ts'
import { WALLETS_MAX } from '../../explore/sequence.ts'
import type { ExploreTarget } from '../../explore/target.ts'
import { createWitness, type Witness } from '../../explore/witness.ts'

export type OpenTarget = {
  target: ExploreTarget
  /** With access and a way to sign. */
  wallets: readonly Wallet[]
  witness: Wallet
  /** Requests and handshakes so far. */
  sent(): number
  close(): Promise<void>
}

/** Calls `use` with the stages and the number of requests so far. `open` is called again when all wallets have been used, if `isFresh`. */
export async function withStages<Result>(
  { open, isFresh }: { open: () => Promise<OpenTarget>; isFresh: boolean },
  use: (stages: { nextStage: NextStage; target: ExploreTarget; sent: () => number }) => Promise<Result>,
): Promise<Result> {
  let sentBefore = 0
  let used = 0
  let current = await openWithWitness(open)
  const nextStage = async (): Promise<Stage> => {
    if (isFresh && used + WALLETS_MAX > current.opened.wallets.length) {
      await close()
      sentBefore += current.opened.sent()
      used = 0
      current = await openWithWitness(open)
    }
    const { opened, witness } = current
    const count = Math.min(WALLETS_MAX, opened.wallets.length)
    const wallets = Array.from({ length: count }, (_, place) => {
      // as: the place is within the list
      return opened.wallets[(used + place) % opened.wallets.length] as Wallet
    })
    used += count
    return { target: opened.target, witness, wallets }
  }
  const close = async () => {
    await current.witness.close()
    await current.opened.close()
  }
  try {
    return await use({
      nextStage,
      target: current.opened.target,
      sent: () => sentBefore + current.opened.sent(),
    })
  } finally {
    await close()
  }
}

async function openWithWitness(
  open: () => Promise<OpenTarget>,
): Promise<{ opened: OpenTarget; witness: Witness }> {
  const opened = await open()
  try {
    return { opened, witness: await createWitness(opened.target, opened.witness) }
  } catch (error) {
    await opened.close()
    throw error
  }
}
