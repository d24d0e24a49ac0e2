import type { Clock } from '../clock.ts'
import type { RandomStream } from '../random.ts'
import type { Saves } from '../undo-log.ts'
import { digest } from './secret.ts'

export type ReferralCode = {
  code: string
  createdAtMs: number
  /** The wallet that may pass it on; null: the exchange. */
  issuedTo: string | null
  redemption: { by: string; atMs: number } | null
}

/** `taken`: another wallet redeemed it; `own`: it was issued to this wallet; `second`: the wallet has redeemed another. */
export type Redemption = 'done' | 'unknown' | 'taken' | 'own' | 'second'
export type Attribution = Exclude<Redemption, 'taken'>

export type Referrals = Saves<SavedReferrals> & {
  list(): readonly ReferralCode[]
  issue(address: string | null): ReferralCode
  findCode(address: string): string | undefined
  /** Redeems the code, and attributes the wallet to it unless it already has an attribution. Idempotent. */
  redeem(request: { address: string; code: string }): Redemption
  /** Attributes the wallet to the code without redeeming it. Idempotent. */
  attribute(request: { address: string; code: string }): Attribution
  findAttribution(address: string): { code: string; atMs: number } | undefined
}

type SavedReferrals = {
  /** Keyed by digest: the duration of a lookup by the code itself would reveal partial matches. */
  codes: Map<string, ReferralCode>
  attributions: Map<string, { code: string; atMs: number }>
}

/** Invitations: each code admits one wallet, and each wallet redeems one. */
export function createReferrals(options: { clock: Clock; stream: RandomStream }): Referrals {
  const { clock, stream } = options
  let codes: SavedReferrals['codes'] = new Map()
  let attributions: SavedReferrals['attributions'] = new Map()

  const find = (code: string) => codes.get(digest(code))
  const freshCode = (): string => {
    for (;;) {
      const code = codeFrom(stream)
      if (!find(code)) return code
    }
  }
  const issue = (issuedTo: string | null): ReferralCode => {
    const entry = { code: freshCode(), createdAtMs: clock.nowMs(), issuedTo, redemption: null }
    codes.set(digest(entry.code), entry)
    return entry
  }
  const redeemedBy = (address: string) =>
    [...codes.values()].find(({ redemption }) => redemption?.by === address)

  return {
    list: () => [...codes.values()],
    issue,
    findCode: (address) => [...codes.values()].find(({ issuedTo }) => issuedTo === address)?.code,
    redeem({ address, code }) {
      const entry = find(code)
      if (!entry) return 'unknown'
      if (entry.redemption) return entry.redemption.by === address ? 'done' : 'taken'
      if (entry.issuedTo === address) return 'own'
      if (redeemedBy(address)) return 'second'
      entry.redemption = { by: address, atMs: clock.nowMs() }
      if (!attributions.has(address)) attributions.set(address, { code, atMs: clock.nowMs() })
      return 'done'
    },
    attribute({ address, code }) {
      const entry = find(code)
      const known = attributions.get(address)
      if (!entry) return 'unknown'
      if (entry.issuedTo === address) return 'own'
      if (known) return find(known.code) === entry ? 'done' : 'second'
      attributions.set(address, { code, atMs: clock.nowMs() })
      return 'done'
    },
    findAttribution: (address) => attributions.get(address),
    save: () => ({ codes, attributions }),
    restore(saved) {
      codes = saved.codes
      attributions = saved.attributions
    },
  }
}

/** Excludes similar letters and digits: people read codes aloud and type them. */
const ALPHABET = [...'23456789ABCDEFGHJKLMNPQRSTUVWXYZ']

/** 60 random bits: `BW-` and three groups of four characters. */
function codeFrom(stream: RandomStream): string {
  const group = () => Array.from({ length: 4 }, () => stream.pick(ALPHABET)).join('')
  return `BW-${group()}-${group()}-${group()}`
}
