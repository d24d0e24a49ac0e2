import type { Target } from '../../../contract/scenario-config.ts'
import type { Reply } from './reply.ts'
import type { Credential, RequestSpec } from './request.ts'

/** What the witnesses got: in words, and whether they fail as well as the request in question. */
export type WitnessSaw = { served: boolean; told: string; isOutage: boolean }

/** Reads that every exchange has, on several routes: a witness is on another route than the request in question. */
const PUBLIC_READS = ['/pools', '/tokens', '/explore/pools']
const CREDENTIAL_READS = ['/access/status', '/fee-tiers', '/swaps', '/unclaimed']

/**
 * Requests to the same host that are known to be served, to be sent between the tries of another: a public one and, for a
 * request with a credential, one with the same credential, or with another that works where that one is refused. Which
 * they are is found out at the first call.
 */
export function createWitness(options: {
  send: (target: Target, spec: RequestSpec) => Promise<Reply>
  /** A credential that is known to work; undefined: none is at hand. */
  knownGood: (target: Target) => Promise<Credential | undefined>
  target: Target
  spec: RequestSpec
}): () => Promise<WitnessSaw> {
  const { send, knownGood, target, spec } = options
  let reads: readonly RequestSpec[] | undefined

  const firstServed = async (paths: readonly string[], credential: Credential | undefined) => {
    for (const path of paths.filter((one) => one !== spec.path)) {
      const read: RequestSpec = { method: 'GET', path, credential }
      const reply = await send(target, read)
      if (isServed(reply)) return read
      // Another path would be refused as well.
      if (reply.status === 401 || reply.status === 403) return undefined
    }
    return undefined
  }
  const find = async (): Promise<WitnessSaw> => {
    const anybody = await firstServed(PUBLIC_READS, undefined)
    if (anybody === undefined)
      return { served: false, told: 'no other request is served either', isOutage: true }
    if (spec.credential === undefined) {
      reads = [anybody]
      return { served: true, told: told(anybody), isOutage: false }
    }
    let withCredential = await firstServed(CREDENTIAL_READS, spec.credential)
    if (withCredential === undefined) {
      const other = await knownGood(target)
      if (other !== undefined) withCredential = await firstServed(CREDENTIAL_READS, other)
    }
    if (withCredential === undefined)
      return { served: false, told: 'no other request with a credential is served', isOutage: false }
    reads = [anybody, withCredential]
    return { served: true, told: reads.map((read) => told(read)).join(' and '), isOutage: false }
  }
  return async () => {
    if (reads === undefined) return await find()
    const replies = await Promise.all(reads.map(async (read) => ({ read, reply: await send(target, read) })))
    const failed = replies.find(({ reply }) => !isServed(reply))
    if (failed !== undefined) {
      const isOutage = true
      return {
        served: false,
        told: `so it goes with a witness: ${told(failed.read, failed.reply)}`,
        isOutage,
      }
    }
    return { served: true, told: replies.map(({ read }) => told(read)).join(' and '), isOutage: false }
  }
}

function isServed({ status, json }: Reply): boolean {
  return status === 200 && json !== undefined
}

function told({ path, credential }: RequestSpec, reply?: Reply): string {
  const by = credential === undefined ? '' : ' with a credential'
  return `GET ${path}${by} -> ${reply === undefined ? 200 : reply.status || 'no answer'}`
}
