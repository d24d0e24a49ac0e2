/** API tokens that go wrong only after other steps. */
import { valueAt } from '../../demo-client.ts'
import type { Deviation } from '../deviation.ts'
import { edit, type Fields, success } from '../reactions.ts'
import { tokens } from './api-token.ts'
import { countingRefreshes } from './sequence-sessions.ts'
import { callerOf, countUp, isSuccess, remembering, routeOf, type SequenceTable } from './sequence-table.ts'

const CREATION = 'POST /api-tokens'
const LIST = 'GET /api-tokens'
const DELETION = 'DELETE /api-tokens/:id'

export const SEQUENCE_TOKEN_MUTANTS = {
  'sequence-revoke-of-four-ends-newest': {
    breaks: 'revoking a token also revokes the newest one, if the wallet has created four or more that work',
    states: 'States and transitions: DELETE /api-tokens/{id} revokes that token',
    rules: ['api-token.revoke.ends', 'api-token.bearer.works'],
    deviates: tokens(({ create, revoke, byId }) => {
      const made = new Set<string>()
      return {
        create(request) {
          const created = create(request)
          if (created) made.add(created.info.id)
          return created
        },
        revoke({ address, id }) {
          const own = [...made].filter((one) => byId(one)?.address === address)
          const isDone = revoke({ address, id })
          const newest = own.at(-1)
          if (isDone && own.length >= 4 && newest !== undefined) revoke({ address, id: newest })
          return isDone
        },
      }
    }),
  },
  'sequence-token-unlisted-after-two-revokes': {
    breaks: 'the list omits the tokens that a session creates after it has revoked two',
    states: 'API token endpoints: GET /api-tokens lists the metadata of tokens',
    rules: ['api-token.list.shows'],
    deviates: remembering([CREATION, LIST, DELETION], () => {
      const revoked = new Map<string, number>()
      const hidden = new Set<unknown>()
      return (incoming) => {
        const { id } = callerOf(incoming)
        const route = routeOf(incoming)
        if (!isSuccess(incoming)) return undefined
        if (route === DELETION) countUp(revoked, id)
        if (route === CREATION && (revoked.get(id) ?? 0) >= 2) hidden.add(valueAt(incoming.body, 'data.id'))
        return route === LIST
          ? changeRows((rows, idOf) => rows.filter((row) => !hidden.has(idOf(row))))
          : undefined
      }
    }),
  },
  'sequence-token-ends-with-refresh': {
    breaks:
      'the API tokens that a wallet has created end when one of its sessions is refreshed a second time',
    states: 'States and transitions: an API token is active until it is revoked',
    rules: ['api-token.bearer.works'],
    deviates: {
      auth: (auth) => {
        const { refreshCount, refresh } = countingRefreshes(auth.sessions)
        const made = new Set<string>()
        return {
          sessions: {
            ...auth.sessions,
            refresh(token) {
              const result = refresh(token)
              if (result.outcome !== 'rotated') return result
              const { address, accessToken } = result.grant
              const count = refreshCount(auth.sessions.byAccessToken(accessToken)?.id ?? '')
              const own = auth.apiTokens.list(address).filter(({ id }) => made.has(id))
              if (count === 2) for (const { id } of own) auth.apiTokens.revoke({ address, id })
              return result
            },
          },
          apiTokens: {
            ...auth.apiTokens,
            create(request) {
              const created = auth.apiTokens.create(request)
              if (created) made.add(created.info.id)
              return created
            },
          },
        }
      },
    },
  },
  'sequence-foreign-revoke-after-own': {
    breaks: 'a session that has revoked a token of its wallet may revoke those of any wallet',
    states: 'States and transitions: only the owner of a token revokes it',
    rules: ['api-token.revoke.own-only'],
    deviates: remembering(DELETION, () => {
      const revoking = new Set<string>()
      return (incoming) => {
        const caller = callerOf(incoming)
        const { id = '' } = incoming.request.params as Record<string, string> // as: of this route
        if (isSuccess(incoming)) revoking.add(caller.id)
        const token = incoming.auth.apiTokens.byId(id)
        if (incoming.status !== 404 || !token || !revoking.has(caller.id)) return undefined
        incoming.auth.apiTokens.revoke(token)
        return success(() => ({ data: { id, revoked: true } }))
      }
    }),
  },
  'sequence-second-revoke-restores-token': {
    breaks: 'a token that is revoked twice works again',
    states: 'States and transitions: DELETE /api-tokens/{id} revokes the token',
    rules: ['api-token.revoke.ends'],
    deviates: restoredBySecondRevoke(),
  },
  'sequence-third-token-secret-listed': {
    breaks: 'the list shows the secret of the third token that a session has created',
    states: 'Authentication, 6: the list shows only metadata and a prefix',
    rules: ['api-token.secret.once', 'auth.secrets.nowhere-else'],
    deviates: remembering([CREATION, LIST], () => {
      const counts = new Map<string, number>()
      const secrets = new Map<unknown, unknown>()
      return (incoming) => {
        if (!isSuccess(incoming)) return undefined
        const { body } = incoming
        if (routeOf(incoming) === LIST)
          return changeRows((rows, idOf) =>
            rows.map((row) => (secrets.has(idOf(row)) ? { ...row, token: secrets.get(idOf(row)) } : row)),
          )
        if (countUp(counts, callerOf(incoming).id) === 3)
          secrets.set(valueAt(body, 'data.id'), valueAt(body, 'data.token'))
        return undefined
      }
    }),
  },
} as const satisfies SequenceTable

function changeRows(change: (rows: readonly Fields[], idOf: (row: Fields) => unknown) => readonly Fields[]) {
  return edit((body, { choices: { profile } }) => {
    const { list, id } = profile.apiTokens
    const rows = valueAt(body, list) as Fields[] // as: the stub's list
    rows.splice(0, rows.length, ...change([...rows], (row) => valueAt(row, id)))
  })
}

function restoredBySecondRevoke(): Deviation {
  return tokens(({ create, revoke, bySecret, byId }) => {
    const made = new Map<string, { info: NonNullable<ReturnType<typeof byId>>; secret: string }>()
    const revokes = new Map<string, number>()
    const isRestored = (id: string) => revokes.get(id) === 2
    return {
      create(request) {
        const created = create(request)
        if (created) made.set(created.info.id, created)
        return created
      },
      revoke({ address, id }) {
        const isDone = revoke({ address, id })
        if (made.get(id)?.info.address === address) countUp(revokes, id)
        return isDone
      },
      bySecret: (secret) =>
        bySecret(secret) ??
        [...made.values()].find((one) => one.secret === secret && isRestored(one.info.id))?.info,
      byId: (id) => byId(id) ?? (isRestored(id) ? made.get(id)?.info : undefined),
    }
  })
}
