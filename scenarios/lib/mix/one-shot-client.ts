import type { MixClient } from '../../../contract/mix.ts'
import type { Wallet } from '../../../contract/profile.ts'
import type { Target } from '../../../contract/scenario-config.ts'
import { type RequestSpec, sendAlone } from '../requests/request.ts'
import { pickByWeight } from './mix-chance.ts'
import { countClient, mixIdentity } from './mix-client.ts'
import { createMemory, mixRequest } from './mix-requests.ts'

/** Shared by the successive clients of this VU. */
const memory = createMemory()

/** True for clients that send one request and leave, without sign-in or socket. */
export function isOneShot({ sessionDuration, credential, feed, steps }: MixClient): boolean {
  const isBrief = sessionDuration.distribution === 'constant' && sessionDuration.seconds === 0
  return (
    isBrief &&
    credential !== 'session' &&
    feed === null &&
    steps.every(({ requests }) => requests.length === 1)
  )
}

/**
 * A client that sends one request without retries, because a retry would change the offered load. Synchronous
 * and created once per VU to keep the generator's cost per request low.
 */
export function createOneShotClient(options: {
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
    /** Lazy, because a pick costs as much as the rest of the request. */
    get pool() {
      return memory.pick({ skew: client.poolSkew, random })
    },
  }
  const send = (name: string, spec: RequestSpec): void => {
    // Bodies are read only until some pools are known.
    const learns = name.startsWith('explore') && !memory.knows()
    const walks = name === 'explore-next' || name === 'pools-next'
    if (!learns && !walks) spec.unread = true
    if (credential !== undefined) spec.credential = credential
    const reply = sendAlone(target, spec)
    countClient(reply.status === 401 || reply.status === 403 ? 'unauthorized' : 'completed')
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

/** Request to send instead of one about a pool while none is known. */
const LEARNS = 'explore-page'
