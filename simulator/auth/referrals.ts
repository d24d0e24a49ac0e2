import type { Clock } from '../clock.ts'
import type { RandomStream } from '../random.ts'
import type { Saves } from '../undo-log.ts'
import { digest } from './secret.ts'

export type ReferralCode = {
  code: string
  createdAtMs: number
  /** The wallet that may pass it on; null: the exchange itself does. */
  issuedTo: string | null
  redemption: { by: string; atMs: number } | null
}

/** `taken`: another wallet redeemed it; `own`: it was issued to the wallet itself; `second`: the wallet has had one. */
export type Redemption = 'done' | 'unknown' | 'taken' | 'own' | 'second'
export type Attribution = Exclude<Redemption, 'taken'>

export type Referrals = Saves<SavedReferrals> & {
  /** In order of creation. */
  list(): readonly ReferralCode[]
  issue(address: string | null): ReferralCode
  /** What the wallet may pass on. */
  codeOf(address: string): string | undefined
  /** Uses the code up, and attributes the wallet to it unless it has been before; the same again changes nothing. */
  redeem(request: { address: string; code: string }): Redemption
  /** Remembers by whose code the wallet came, and leaves the code to be redeemed; the same again changes nothing. */
  attribute(request: { address: string; code: string }): Attribution
  attributionOf(address: string): { code: string; atMs: number } | undefined
}

type SavedReferrals = {
  /** By the digest of the code: a look-up by the code itself would tell by its time how near a guess is. */
  codes: Map<string, ReferralCode>
  attributions: Map<string, { code: string; atMs: number }>
}

/** Invitations: each code lets one wallet in, and each wallet redeems one. */
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
    codeOf: (address) => [...codes.values()].find(({ issuedTo }) => issuedTo === address)?.code,
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
    attributionOf: (address) => attributions.get(address),
    save: () => ({ codes, attributions }),
    restore(saved) {
      codes = saved.codes
      attributions = saved.attributions
    },
  }
}

/** Without letters and digits that look alike: a code is read out and typed in. */
const ALPHABET = [...'23456789ABCDEFGHJKLMNPQRSTUVWXYZ']

/** 60 random bits: `BW-` and three groups of four. */
function codeFrom(stream: RandomStream): string {
  const group = () => Array.from({ length: 4 }, () => stream.pick(ALPHABET)).join('')
  return `BW-${group()}-${group()}-${group()}`
}
