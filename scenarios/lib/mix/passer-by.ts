import type { MixClient } from '../../../contract/mix.ts'
import type { Wallet } from '../../../contract/profile.ts'
import type { Target } from '../../../contract/scenario-config.ts'
import { type RequestSpec, sendAlone } from '../requests/request.ts'
import { pickByWeight } from './mix-chance.ts'
import { countClient, mixIdentity } from './mix-client.ts'
import { createMemory, mixRequest } from './mix-requests.ts'

/** What the passers-by of this VU have seen, one after another. */
const memory = createMemory()

/** Whether such a client comes for one request and goes: without sign-in, socket, or anything side by side. */
export function passesBy({ life, credential, feed, steps }: MixClient): boolean {
  const isBrief = life.distribution === 'constant' && life.seconds === 0
  return (
    isBrief &&
    credential !== 'session' &&
    feed === null &&
    steps.every(({ requests }) => requests.length === 1)
  )
}

/**
 * A client that sends one request, once, and goes: whatever comes back, as one that tried again would be a second request, and
 * the load another. Without promises, and made for the whole life of a VU: what it costs, the generator cannot offer.
 */
export function createPasserBy(options: {
  target: Target
  client: MixClient
  wallets: readonly Wallet[]
  number: number
  random: () => number
}): () => void {
  const { target, client, random } = options
  const who = mixIdentity(options)
  const credential = typeof who === 'object' && 'apiToken' in who ? { bearer: who.apiToken } : undefined
  const context = {
    choices: target.profile.choices,
    memory,
    random,
    /** Picked where a request is about one: that costs as much as the rest of it. */
    get pool() {
      return memory.pick({ skew: client.poolSkew, random })
    },
  }
  const send = (name: string, spec: RequestSpec): void => {
    // The answer is read for the pools in it; once some are known, nobody looks into it any more.
    const learns = name.startsWith('explore') && !memory.knows()
    const walks = name === 'explore-next' || name === 'pools-next'
    if (!learns && !walks) spec.unread = true
    if (credential !== undefined) spec.credential = credential
    const reply = sendAlone(target, spec)
    countClient(reply.status === 401 || reply.status === 403 ? 'refused' : 'lived')
    if (learns) memory.learn(reply.json)
    if (walks) memory.advance(name === 'explore-next' ? 'explore' : 'pools', reply.json)
  }
  return () => {
    const [name = ''] = pickByWeight(client.steps, random).requests
    const spec = mixRequest(name, context)
    if (spec !== undefined) send(name, spec)
    else if (!memory.knows()) send(LEARNS, mixRequest(LEARNS, context) as RequestSpec) // as: it is about no pool
  }
}

/** What a client asks for in place of a request about a pool, where it knows none yet. */
const LEARNS = 'explore-page'
