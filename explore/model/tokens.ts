/** API tokens: creation, use, the list and revocation (Authentication 6, 7 and 11). */
import { ADMINISTRATOR, type CommandOf } from '../sequence.ts'
import { expectCredential, explainUse } from './credentials.ts'
import { loosen } from './sessions.ts'
import { type Done, type Explained, type Profiled, put, type State, type Violation } from './state.ts'

export function explainCreateToken(
  state: State,
  done: Done<CommandOf<'create-token'>>,
  { tokensMax }: Profiled,
): Explained {
  const { command } = done
  const wallet = state.sessions[command.session]?.wallet ?? -1
  const held = Object.values(state.tokens).filter(
    (token) => token.wallet === wallet && token.status !== 'revoked',
  ).length
  return explainUse(state, done, {
    by: command.session,
    succeed: () => [put(state, 'tokens', command.as, { wallet, status: 'active', endedAt: 0 })],
    // Without a declared maximum, one token must be possible. Revoked ones may count for a while, and so may the
    // administrator's from earlier sequences.
    mayReject:
      command.csrf !== 'right' ||
      wallet === ADMINISTRATOR ||
      done.outcome.mayBeFull === true ||
      held >= (tokensMax ?? 1) ||
      Object.keys(state.tokens).length >= (tokensMax ?? 1),
  })
}

export function explainRevokeToken(state: State, done: Done<CommandOf<'revoke-token'>>): Explained {
  const { command, returnAt } = done
  const token = state.tokens[command.token]
  const isOwn = token !== undefined && token.wallet === state.sessions[command.session]?.wallet
  return explainUse(state, done, {
    by: command.session,
    succeed: () => {
      // It is not stated that an administrator may not revoke it.
      const isAdmin = state.sessions[command.session]?.wallet === ADMINISTRATOR
      if (token?.status === 'active' && !isOwn)
        return [
          put(
            state,
            'tokens',
            command.token,
            isAdmin ? { ...token, status: 'unsure' } : { ...token, isSpared: true },
          ),
        ]
      if (!isOwn || token.status === 'revoked') return [state]
      const revoked = put(state, 'tokens', command.token, { ...token, status: 'revoked', endedAt: returnAt })
      return [{ ...revoked, sockets: loosen(state, (by) => by === command.token) }]
    },
    mayReject: command.csrf !== 'right' || !isOwn || token.status !== 'active',
  })
}

export function explainTokenList(state: State, done: Done<CommandOf<'list-tokens'>>): Explained {
  const { command, outcome, isAlone } = done
  const { listed } = outcome
  return explainUse(state, done, {
    by: command.session,
    succeed: () =>
      (isAlone && listed && expectCredential(state, command.session, done).must === 'work'
        ? findWrongToken(state, command.session, listed)
        : undefined) ?? [state],
  })
}

function findWrongToken(state: State, asking: string, listed: readonly string[]): Violation | undefined {
  const wallet = state.sessions[asking]?.wallet
  for (const [label, token] of Object.entries(state.tokens)) {
    const isListed = listed.includes(label)
    if (token.wallet !== wallet && isListed)
      return {
        rule: 'api-token.list.own-only',
        expected: 'only API tokens of the own wallet',
        observed: `${label}, which belongs to another wallet`,
      }
    if (token.wallet === wallet && token.status === 'active' && !isListed)
      return {
        rule: 'api-token.list.shows',
        expected: `${label} in the list, because it is active`,
        observed: `a list without it (${listed.join(', ') || 'none that is known'})`,
      }
  }
  return undefined
}
