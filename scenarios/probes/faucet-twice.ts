import type { Wallet } from '../../contract/profile.ts'
import type { Target } from '../../contract/scenario-config.ts'
import { withApiToken } from '../lib/identity/api-token.ts'
import { requireFullCredential, withSession } from '../lib/identity/session.ts'
import { walletFor } from '../lib/identity/wallet.ts'
import { pick } from '../lib/pick.ts'
import { type Credential, isSuccess, type Reply } from '../lib/requests/request.ts'
import { check } from '../lib/verdict/check.ts'
import type { Judge } from '../lib/verdict/judge.ts'

const RULE = 'faucet.claim.once'

/**
 * Sends two claims for an address at once and returns the accepted one. If both are and name the address, the rule fails, unless
 * the second is not another grant. Undefined if neither is, as a faucet may reject two claims that conflict.
 */
export async function claimAtOnce(
  judge: Judge,
  { address, claim }: { address: string; claim: () => Promise<Reply> },
): Promise<Reply | undefined> {
  const replies = await Promise.all([claim(), claim()])
  const accepted = replies.filter(isSuccess)
  const [first, second] = accepted
  const isTwice = first !== undefined && second !== undefined && isAnotherGrant(first, second)
  if (isTwice && accepted.every((reply) => namesAddress(reply, address)))
    judge.fail(
      RULE,
      'two claims at the same time are accepted',
      accepted.map((reply) => reply.evidence()),
    )
  return first
}

/** Claims for the address of an accepted claim with a space after it, which must not be accepted for that address. */
export async function judgeSpaced(
  judge: Judge,
  {
    address,
    accepted,
    claim,
  }: { address: string; accepted: Reply; claim: (spaced: string) => Promise<Reply> },
): Promise<void> {
  const spaced = `${address} `
  const reply = await claim(spaced)
  if (isAnotherGrant(accepted, reply) && namesAddress(reply, address) && !namesAddress(reply, spaced))
    judge.fail(RULE, `${reply.status} at once, with a space after the address`, [reply.evidence()])
}

function namesAddress({ text }: Pick<Reply, 'text'>, address: string): boolean {
  return text.toLowerCase().includes(address.toLowerCase())
}

/**
 * Claims in the session of a wallet that claims nothing for itself, for the address of an accepted claim: the limit is per
 * address. A faucet may reject claims for others, or ignore the address and send to the caller, which is another address.
 */
export async function judgeOtherCaller(
  target: Target,
  judge: Judge,
  options: {
    wallet: Wallet
    accepted: Reply
    claimants: readonly Wallet[]
    claim: (wallet: Wallet, credential: Credential) => Promise<Reply>
  },
): Promise<void> {
  const { wallet, accepted, claimants, claim } = options
  if (target.profile.choices.faucet.access === 'public') return
  const caller = walletFor(target, 'reads')
  if (claimants.some(({ address }) => address === caller.address)) return
  await withSession(target, caller, async (session) => {
    const reply = await claim(wallet, requireFullCredential(session))
    if (
      isAnotherGrant(accepted, reply) &&
      isSentTo(reply, { address: wallet.address, caller: caller.address })
    )
      judge.fail(RULE, `${reply.status} at once, for another caller`, [reply.evidence()])
  })
}

/** Claims by an API token of the wallet whose claim was accepted: the limit is per address, not per credential. */
export async function judgeByToken(
  target: Target,
  judge: Judge,
  {
    wallet,
    accepted,
    claim,
  }: { wallet: Wallet; accepted: Reply; claim: (wallet: Wallet, credential: Credential) => Promise<Reply> },
): Promise<void> {
  await withSession(target, wallet, (session) =>
    withApiToken(target, requireFullCredential(session), async ({ bearer }) => {
      const reply = await claim(wallet, bearer)
      if (isAnotherGrant(accepted, reply))
        judge.fail(RULE, `${reply.status} at once, by API token`, [reply.evidence()])
    }),
  )
}

/**
 * Judges a required rejection of a claim after the accepted one: 4xx and 5xx pass, another grant fails, anything else is
 * inconclusive, such as a success that may say that the address has claimed.
 */
export function judgeRefusal(
  judge: Judge,
  rule: string,
  { reply, accepted, when }: { reply: Reply; accepted: Reply; when: string },
): void {
  const { status } = reply
  const seen = `${status} ${when}`
  if (status < 400 && !isAnotherGrant(accepted, reply))
    judge.inconclusive(rule, `neither another grant nor a rejection: ${seen}`, [reply.evidence()])
  else judge.that(rule, status >= 400, seen, [reply.evidence()])
}

/**
 * True for an error body with a success status, and for a success like the accepted one, with the same keys, words and flags, unless
 * an id shows that it is the first claim again. Any other success may be a rejection, as its form is open.
 */
export function isAnotherGrant(accepted: Reply, reply: Reply): boolean {
  if (!isSuccess(reply)) return false
  if (pick(reply.json, 'data') === undefined && check('errorBody', reply.json).length === 0) return true
  const [first, second] = [accepted, reply].map(({ json }) => describeLeaves(pick(json, 'data') ?? json))
  if (first === undefined || second === undefined) return false
  const isAlike = first.shape === second.shape && first.words === second.words
  return isAlike && (first.ids === '' || first.ids !== second.ids)
}

/** `words`: also flags. Amounts and times are not compared, as they may differ between responses to one claim. */
function describeLeaves(json: unknown): { shape: string; words: string; ids: string } | undefined {
  if (typeof json !== 'object' || json === null) return undefined
  const shape = new Set<string>()
  const words: string[] = []
  const ids: string[] = []
  const visit = (value: unknown, path: string, key: string) => {
    shape.add(`${path}: ${Array.isArray(value) ? 'array' : typeof value}`)
    if (typeof value === 'object' && value !== null)
      for (const [name, inner] of Object.entries(value))
        if (Array.isArray(value)) visit(inner, `${path}[]`, key)
        else visit(inner, `${path}.${name}`, name)
    else if (isIdOfClaim(key)) ids.push(String(value))
    else if (typeof value === 'string') words.push(...value.split(/\s+/).filter((word) => !/\d/.test(word)))
    else if (typeof value !== 'number') words.push(`${path} ${value}`)
  }
  visit(json, '', '')
  return { shape: [...shape].sort().join(), words: words.join(' '), ids: ids.join(' ') }
}

/** By the name of the field: an id of a transaction, a claim or a record. Those of tokens and wallets are the same in each claim. */
function isIdOfClaim(key: string): boolean {
  const parts = key
    .replace(/([a-z])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .split(/[^a-z]/)
  const has = (names: readonly string[]) => parts.some((part) => names.includes(part))
  return (
    has(['id', 'uuid', 'tx', 'transaction', 'hash', 'reference']) &&
    !has(['token', 'wallet', 'address', 'user'])
  )
}

/** The response names the address, and not the caller: the tokens went to the address. */
export function isSentTo(
  { text }: Pick<Reply, 'text'>,
  { address, caller }: { address: string; caller: string },
): boolean {
  const [shown, wanted, other] = [text, address, caller].map((one) => one.toLowerCase())
  return shown?.includes(wanted ?? '') === true && !shown.includes(other ?? '')
}
