import type { Target } from '../../contract/scenario-config.ts'
import { pickRows, pickText } from '../lib/pick.ts'
import { type Credential, isSuccess, type Reply, type RequestSpec, request } from '../lib/requests/request.ts'
import { unlessCannot } from '../lib/verdict/judge.ts'
import { portfolioPaths, STATED_DATA_PATHS } from './data-paths.ts'

type Read = Pick<RequestSpec, 'path' | 'query'>

/** These reject even a live API token. */
const SESSION_ONLY: readonly string[] = ['/auth/sessions', '/api-tokens']

/** Per probe, which its target identifies. */
const known = new WeakMap<Target, Promise<Read[]>>()

/** Reads all of them with a live credential: a response that is cached for it must not be served after its end. */
export async function readAll(target: Target, credential: Credential): Promise<void> {
  for (const read of await listReads(target, credential))
    await request(target, { method: 'GET', ...read, credential })
}

/** Those that are served to the credential, and not to anybody without one. After its end, there must be none. */
export async function readsServedTo(target: Target, credential: Credential): Promise<Reply[]> {
  return await served(target, credential, await listReads(target, credential))
}

/**
 * Those that are served to an expired access cookie. It is sent alone, because the refresh cookie next to it is still valid: if
 * the profile does not name the access cookie, the paths that may take the other one are left out.
 */
export async function readsServedToExpired(
  target: Target,
  { cookies }: { cookies: ReadonlyMap<string, string> },
): Promise<Reply[]> {
  const name = target.profile.choices.cookies.access
  const access = name === null ? undefined : cookies.get(name)
  const all = [...cookies].map((pair) => pair.join('=')).join('; ')
  const credential = { cookie: access === undefined ? all : `${name}=${access}`, csrf: undefined }
  const reads = await listReads(target, credential)
  const sure = access === undefined ? reads.filter(({ path }) => !path.startsWith('/auth/')) : reads
  return await served(target, credential, sure)
}

async function served(target: Target, credential: Credential, reads: readonly Read[]): Promise<Reply[]> {
  const replies: Reply[] = []
  for (const read of reads) {
    const reply = await request(target, { method: 'GET', ...read, credential })
    const isOpen = isSuccess(reply) && isSuccess(await request(target, { method: 'GET', ...read }))
    if (isSuccess(reply) && !isOpen) replies.push(reply)
  }
  return replies
}

async function listReads(target: Target, credential: Credential): Promise<Read[]> {
  const pending = known.get(target) ?? findReads(target)
  known.set(target, pending)
  const reads = await pending
  return 'bearer' in credential ? reads.filter(({ path }) => !SESSION_ONLY.includes(path)) : reads
}

async function findReads(target: Target): Promise<Read[]> {
  const paths = [...SESSION_ONLY, '/auth/ws-ticket', ...STATED_DATA_PATHS, ...portfolioPaths(target.profile)]
  const reads: Read[] = paths.map((path) => ({ path }))
  await unlessCannot(async () => {
    reads.push(...(await listRouteReads(target)))
  })
  return reads
}

/** A route between the tokens of a listed pool. */
export async function listRouteReads(target: Target): Promise<Read[]> {
  const list = await request(target, { method: 'GET', path: '/pools', query: { limit: '1' } })
  const [pool] = pickRows(list.json, 'data') ?? []
  const [tokenIn, tokenOut] = [pickText(pool, 'token0'), pickText(pool, 'token1')]
  if (tokenIn === undefined || tokenOut === undefined) return []
  const query = { token_in: tokenIn, token_out: tokenOut, amount_in: '1000000' }
  return [{ path: '/route', query }]
}
