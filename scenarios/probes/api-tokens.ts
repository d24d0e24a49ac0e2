import type { Wallet } from '../../contract/profile.ts'
import type { Target } from '../../contract/scenario-config.ts'
import {
  type ApiToken,
  createdToken,
  listApiTokens,
  postApiToken,
  revokeApiToken,
  tryApiToken,
  withApiToken,
} from '../lib/identity/api-token.ts'
import {
  credentialRead,
  getCredential,
  isAlive,
  requireFullCredential,
  withSession,
} from '../lib/identity/session.ts'
import { isStillServed } from '../lib/identity/still-served.ts'
import { differentWallets, walletFor } from '../lib/identity/wallet.ts'
import { pick, pickText } from '../lib/pick.ts'
import type { Probe } from '../lib/probe/probe.ts'
import { confirm } from '../lib/requests/confirm.ts'
import { type Credential, isSuccess, type Reply, request } from '../lib/requests/request.ts'
import { hasControl } from '../lib/time/has-control.ts'
import { pause } from '../lib/time/pause.ts'
import { check } from '../lib/verdict/check.ts'
import { CannotJudge, holdPasses, type Judge, unlessCannot } from '../lib/verdict/judge.ts'
import { control, mustHaveControl } from '../lib/world/control.ts'
import {
  judgeCreatedAtOnce,
  judgeCsrf,
  judgeRefusedCreation,
  judgeRevokedByAnother,
  judgeSameName,
  judgeSwitchedWallet,
} from './api-token-checks.ts'
import { judgeLifetimes, judgeRecord } from './api-token-lifetimes.ts'
import { readAll, readsServedTo } from './reads-served.ts'
import { judgeList } from './token-list.ts'

const HOUR_MS = 60 * 60 * 1000
const DAY_MS = 24 * HOUR_MS

/** Twice the lifetime of one day, since a server may count days to their end. */
export const tokenLife: Probe = {
  rules: ['api-token.life.expires'],
  world: 'clock',
  async run(target, judge) {
    await withSession(target, walletFor(target, 'tokenLife'), (session) =>
      withApiToken(target, requireFullCredential(session), async ({ bearer }) => {
        const young = await isAlive(target, bearer)
        if (!young.alive) throw new CannotJudge(`the new token does not work: ${young.reply.evidence()}`)
        if (!hasControl(target)) {
          await pause(SOON_MS)
          await judgeEarly(target, judge, { wallet: session.wallet, bearer, after: 'some seconds' })
        }
        mustHaveControl(target, 'waiting for an API token to expire')
        const snapshot = pickText(await control(target, '/snapshot'), 'snapshot')
        if (snapshot === undefined) throw new CannotJudge('the control API took no snapshot')
        try {
          // Without the pause, the exchange would mine two days of blocks.
          await control(target, '/mining', { mode: 'paused' })
          await control(target, '/clock/advance', { ms: EARLY_MS })
          await judgeEarly(target, judge, { wallet: session.wallet, bearer, after: '20 of its 24 hours' })
          await control(target, '/clock/advance', { ms: 2 * DAY_MS + 60_000 - EARLY_MS })
          const old = await readSwaps(target, { bearer })
          const seen = `a read returned ${old.status} two days later`
          judge.that('api-token.life.expires', old.status === 401, seen, [old.evidence()])
        } finally {
          await control(target, '/revert', { snapshot })
          await control(target, '/snapshot/drop', { snapshot })
        }
      }),
    )
  },
}

/** Less than a day, however a server rounds. */
const EARLY_MS = 20 * HOUR_MS
/** Without a control API: long enough for days that are mistaken for seconds. */
const SOON_MS = 4000

/** A rejection counts if it persists while a new session of the wallet is served. Passes nothing. */
async function judgeEarly(
  target: Target,
  judge: Judge,
  { wallet, bearer, after }: { wallet: Wallet; bearer: ApiToken['bearer']; after: string },
): Promise<void> {
  if ((await readSwaps(target, { bearer })).status === 200) return
  await unlessCannot(() =>
    withSession(target, wallet, async (session) => {
      const witness = getCredential(session)
      const { outcome, reply, explanation } = await isStillServed(target, bearer, { witness })
      const seen = `ended after ${after} at most: ${explanation}`
      if (outcome === 'refused') judge.fail('api-token.life.expires', seen, [reply.evidence()])
    }),
  )
}

type SessionCredential = ReturnType<typeof getCredential>

export const apiTokens: Probe = {
  rules: [
    'api-token.create.record',
    'api-token.create.needs-csrf',
    'api-token.secret.once',
    'api-token.list.shows',
    'api-token.revoke.record',
    'api-token.revoke.ends',
  ],
  world: 'main',
  run(target, judge) {
    return withSession(target, walletFor(target, 'apiTokens'), async (session) => {
      const credential = requireFullCredential(session)
      // Read the list first: a cached list would omit the new token.
      await listApiTokens(target, credential)
      const { held, release } = holdPasses(judge)
      await unlessCannot(() => judgeLifetimes(target, held, credential))
      await unlessCannot(() =>
        withApiToken(target, credential, (token) => judgeSameName(target, judge, { token, credential })),
      )
      await unlessCannot(() => judgeCreatedAtOnce(target, judge, credential))
      const reply = await tryApiToken(target, credential)
      judgeRecord(held, reply)
      release()
      const created = await createdToken(target, reply, credential)
      if (!created) {
        await judgeRefusedCreation(target, judge, { rule: 'api-token.create.record', session, reply })
        throw new CannotJudge(`no API token could be created: ${reply.evidence()}`)
      }
      const worked = (await readSwaps(target, created)).status === 200
      // A second token of the same wallet, if allowed.
      const other = await createdToken(target, await postApiToken(target, credential), credential)
      const isOtherGood = other !== undefined && (await readSwaps(target, other)).status === 200
      if (worked && isOtherGood) await judgeFirst(target, judge, { created, other, credential })
      let revoked: Reply
      try {
        try {
          await judgeList(target, held, { token: created, session })
          // Cached responses must not survive the revocation.
          await readAll(target, created.bearer)
        } finally {
          revoked = await revokeApiToken(target, { id: created.id, credential })
        }
        const left = isOtherGood
          ? await isStillServed(target, other.bearer, { witness: credential })
          : undefined
        if (left?.outcome === 'refused')
          judge.fail('api-token.revoke.ends', `another token of the wallet fails too: ${left.explanation}`, [
            left.reply.evidence(),
          ])
        if (other && left?.outcome === 'served')
          await judgeRevokedByAnother(target, held, { token: other, maker: session })
        else if (other) await revokeApiToken(target, { id: other.id, credential })
      } finally {
        release()
      }
      await judgeCsrf(target, judge, credential)
      await judgeRevoked(target, judge, { created, revoked, worked })
    })
  },
}

/** Only its own revocation ends a token, not the creation of another. Throws CannotJudge if it has ended. */
async function judgeFirst(
  target: Target,
  judge: Judge,
  { created, other, credential }: { created: ApiToken; other: ApiToken; credential: SessionCredential },
): Promise<void> {
  const { outcome, reply, explanation } = await isStillServed(target, created.bearer, {
    witness: other.bearer,
  })
  if (outcome !== 'refused') return
  await revokeApiToken(target, { id: other.id, credential })
  const seen = `a token fails once the wallet has another: ${explanation}`
  judge.fail('api-token.revoke.ends', seen, [reply.evidence()])
  throw new CannotJudge(seen)
}

async function judgeRevoked(
  target: Target,
  judge: Judge,
  { created, revoked, worked }: { created: ApiToken; revoked: Reply; worked: boolean },
): Promise<void> {
  const wrong = check('apiTokenRevoked', revoked.json)
  if (wrong.length === 0 && pickText(revoked.json, 'data.id') !== created.id) wrong.push('another id')
  if (wrong.length === 0 && pick(revoked.json, 'data.revoked') !== true) wrong.push('revoked is not true')
  const seen = `${revoked.status} ${wrong.join('; ')}`
  judge.that('api-token.revoke.record', isSuccess(revoked) && wrong.length === 0, seen, [revoked.evidence()])
  if (!worked) throw new CannotJudge('the token did not work before it was revoked')
  const after = await readSwaps(target, created)
  const served = await readsServedTo(target, created.bearer)
  const explanation = `/swaps returns ${after.status} after the revocation, and ${served.length} other reads are served`
  const evidence = [after, ...served].map((reply) => reply.evidence())
  judge.that('api-token.revoke.ends', after.status === 401 && served.length === 0, explanation, evidence)
}

function readSwaps(target: Target, { bearer }: Pick<ApiToken, 'bearer'>): Promise<Reply> {
  return request(target, credentialRead(target, bearer))
}

/** A list proves that foreign tokens are absent only if it contains the wallet's own. */
export const ownTokens: Probe = {
  rules: ['api-token.list.own-only'],
  world: 'main',
  async run(target, judge) {
    const rule = 'api-token.list.own-only'
    const [one, other] = differentWallets(target, 'apiTokens', 'tokensOfAnother')
    await withWalletToken(target, one, (mine) =>
      withWalletToken(target, other, async (foreign) => {
        const lists = await Promise.all([mine, foreign].map((by) => listApiTokens(target, by.credential)))
        const holds = lists.map((list) => [mine, foreign].map(({ id }) => list.text.includes(`"${id}"`)))
        const evidence = lists.map((list) => list.evidence())
        await judgeSwitchedWallet(target, judge, { rule, from: one, to: other, id: mine.id })
        if (holds[0]?.[1] || holds[1]?.[0])
          judge.fail(rule, 'the token of another wallet is listed', evidence)
        else if (!holds[0]?.[0] || !holds[1]?.[1])
          judge.inconclusive(rule, 'its own token is not listed either', evidence)
        else judge.pass(rule, 'each wallet sees only its own tokens')
      }),
    )
  },
}

type Owned = { id: string; credential: Credential }

function withWalletToken(
  target: Target,
  wallet: Wallet,
  use: (owned: Owned) => Promise<void>,
): Promise<void> {
  return withSession(target, wallet, (session) => {
    const credential = requireFullCredential(session)
    return withApiToken(target, credential, ({ id }) => use({ id, credential }))
  })
}

/** Tries to revoke another wallet's token. A second token of the same owner is the witness. */
export const foreignRevoke: Probe = {
  rules: ['api-token.revoke.own-only'],
  world: 'main',
  async run(target, judge) {
    const rule = 'api-token.revoke.own-only'
    const [owner, other] = differentWallets(target, 'apiTokens', 'tokensOfAnother')
    await withSession(target, owner, async (session) => {
      const credential = requireFullCredential(session)
      await withApiToken(target, credential, ({ id, bearer }) =>
        withApiToken(target, credential, async (untouched) => {
          for (const token of [bearer, untouched.bearer])
            if (!(await isAlive(target, token)).alive) throw new CannotJudge('the token does not work')
          await withSession(target, other, async (stranger) => {
            const foreign = requireFullCredential(stranger)
            const list = await listApiTokens(target, foreign)
            if (!isSuccess(list))
              throw new CannotJudge(`the other wallet cannot manage tokens: ${list.evidence()}`)
            const tried = await revokeApiToken(target, { id, credential: foreign })
            const after = await isStillServed(target, bearer, { witness: untouched.bearer })
            const seen = `returned ${tried.status}, the token is ${after.outcome} ${after.explanation}`
            const evidence = [tried.evidence(), after.reply.evidence()]
            if (after.outcome === 'refused') judge.fail(rule, seen, evidence)
            if (after.outcome === 'unclear') throw new CannotJudge(seen)
            const again = () => revokeApiToken(target, { id, credential: foreign })
            await judgeSaidRevoked(target, judge, { first: tried, again, bearer })
            // If its owner cannot revoke it either, the rejection proves nothing.
            await revokeApiToken(target, { id, credential })
            if ((await isAlive(target, bearer)).alive)
              judge.inconclusive(rule, 'its owner cannot revoke it either', evidence)
            else judge.pass(rule, seen, evidence)
          })
        }),
      )
    })
  },
}

/** A response that says that the token is revoked is wrong if it repeats while the token works. Passes nothing. */
async function judgeSaidRevoked(
  target: Target,
  judge: Judge,
  { first, again, bearer }: { first: Reply; again: () => Promise<Reply>; bearer: ApiToken['bearer'] },
): Promise<void> {
  const { outcome, last, explanation } = await confirm<Reply>({
    first,
    describeError: (reply) =>
      isSuccess(reply) && pick(reply.json, 'data.revoked') === true ? 'revoked: true' : undefined,
    again,
    witness: async () => {
      const { alive } = await isAlive(target, bearer)
      return { served: alive, explanation: `the token is ${alive ? 'alive' : 'ended'}` }
    },
  })
  const seen = `the response to another wallet: ${explanation}`
  if (outcome === 'persistent') judge.fail('api-token.revoke.own-only', seen, [last.evidence()])
}
