import type { Choices } from '../choices/choices.ts'
import type { Clock } from '../clock.ts'
import type { RandomStream } from '../random.ts'
import type { Saves } from '../undo-log.ts'
import { createSecret, createUuid, digest, matchesDigest } from './secret.ts'

export type ApiTokenInfo = {
  id: string
  address: string
  name: string
  prefix: string
  createdAtMs: number
  expiresAtMs: number | null
}

export type ApiTokens = Saves<SavedTokens> & {
  /** Returns undefined if the wallet has the maximum number of tokens. */
  create(request: {
    address: string
    name: string
    expiresInDays: number | null
  }): { info: ApiTokenInfo; secret: string } | undefined
  bySecret(secret: string): ApiTokenInfo | undefined
  byId(id: string): ApiTokenInfo | undefined
  list(address: string): readonly ApiTokenInfo[]
  revoke(request: { address: string; id: string }): boolean
  size(): number
}

type ApiToken = ApiTokenInfo & { digest: string }
type SavedTokens = { tokens: Map<string, ApiToken>; byPrefix: Map<string, ApiToken> }

const DAY_MS = 24 * 60 * 60 * 1000

export function createApiTokens(options: {
  clock: Clock
  stream: RandomStream
  choices: Pick<Choices, 'profile' | 'apiTokens'>
}): ApiTokens {
  const { clock, stream, choices } = options
  const { maxPerWallet } = choices.profile.apiTokens
  const { prefixLength } = choices.apiTokens
  let tokens = new Map<string, ApiToken>()
  // The prefix is not secret: it selects the token; only then is the secret compared, in constant time.
  let byPrefix = new Map<string, ApiToken>()

  const getPrefix = (secret: string) => secret.slice(0, prefixLength)
  const isLive = ({ expiresAtMs }: ApiToken) => expiresAtMs === null || expiresAtMs > clock.nowMs()
  const list = (address: string) => [...tokens.values()].filter((t) => t.address === address && isLive(t))
  const forget = (token: ApiToken) => {
    tokens.delete(token.id)
    byPrefix.delete(token.prefix)
  }
  const createFreshSecret = (): string => {
    for (;;) {
      const secret = `ss_${createSecret(stream)}`
      if (!byPrefix.has(getPrefix(secret))) return secret
    }
  }

  return {
    create({ address, name, expiresInDays }) {
      for (const token of tokens.values()) if (!isLive(token)) forget(token)
      if (list(address).length >= maxPerWallet) return undefined
      const secret = createFreshSecret()
      const token: ApiToken = {
        id: createUuid(stream),
        address,
        name,
        prefix: getPrefix(secret),
        createdAtMs: clock.nowMs(),
        expiresAtMs: expiresInDays === null ? null : clock.nowMs() + expiresInDays * DAY_MS,
        digest: digest(secret),
      }
      tokens.set(token.id, token)
      byPrefix.set(token.prefix, token)
      return { info: token, secret }
    },
    bySecret(secret) {
      const token = byPrefix.get(getPrefix(secret))
      return token && matchesDigest(secret, token.digest) && isLive(token) ? token : undefined
    },
    byId(id) {
      const token = tokens.get(id)
      return token && isLive(token) ? token : undefined
    },
    list,
    revoke({ address, id }) {
      const token = tokens.get(id)
      if (!token || !isLive(token) || token.address !== address) return false
      forget(token)
      return true
    },
    size: () => tokens.size,
    save: () => ({ tokens, byPrefix }),
    restore(saved) {
      tokens = saved.tokens
      byPrefix = saved.byPrefix
    },
  }
}
