/** The model: which states may follow a command and its outcome. */
import { explainUse } from './credentials.ts'
import { checkStatusRecord, explainAdmin, explainClaim, explainCode } from './grants.ts'
import { explainPage, explainPool, explainRegistry } from './lists.ts'
import { explainRoute, explainState } from './routes.ts'
import { explainLogout, explainRefresh, explainSessionList, explainSignIn } from './sessions.ts'
import { explainConnect, explainRedeem, explainSocket, explainTicket } from './sockets.ts'
import type { Done, Explained, Profiled, State } from './state.ts'
import { explainAsk, explainForge } from './strangers.ts'
import { explainCreateToken, explainRevokeToken, explainTokenList } from './tokens.ts'
import { explainWalk } from './walks.ts'

export function explain(state: State, done: Done, profiled: Profiled): Explained {
  const { command } = done
  switch (command.do) {
    case 'sign-in':
      return explainSignIn(state, { ...done, command })
    case 'refresh':
      return explainRefresh(state, { ...done, command }, profiled)
    case 'log-out':
    case 'log-out-all':
    case 'revoke-session':
      return explainLogout(state, { ...done, command })
    case 'list-sessions':
      return explainSessionList(state, { ...done, command })
    case 'create-token':
      return explainCreateToken(state, { ...done, command }, profiled)
    case 'revoke-token':
      return explainRevokeToken(state, { ...done, command })
    case 'list-tokens':
      return explainTokenList(state, { ...done, command })
    case 'read':
      return explainUse(state, done, {
        by: command.by,
        succeed: () => checkStatusRecord({ ...done, command }) ?? [state],
      })
    case 'page':
      return explainPage(state, { ...done, command }, profiled)
    case 'walk':
      return explainWalk(state, { ...done, command }, profiled)
    case 'read-pool':
      return explainPool(state, { ...done, command })
    case 'list-registry':
      return explainRegistry(state, { ...done, command }, profiled)
    case 'route':
      return explainRoute(state, { ...done, command }, profiled)
    case 'read-state':
      return explainState(state, { ...done, command }, profiled)
    case 'claim':
      return explainClaim(state, { ...done, command }, profiled)
    case 'redeem-code':
      return explainCode(state, { ...done, command })
    case 'read-codes':
    case 'mint':
      return explainAdmin(state, { ...done, command })
    case 'ticket':
      return explainTicket(state, { ...done, command })
    case 'connect':
      return explainConnect(state, { ...done, command })
    case 'redeem':
      return explainRedeem(state, { ...done, command })
    case 'ask':
      return explainAsk(state, { ...done, command })
    case 'forge':
      return explainForge(state, { ...done, command })
    case 'wait':
      return [state]
    default:
      return explainSocket(state, { ...done, command })
  }
}
