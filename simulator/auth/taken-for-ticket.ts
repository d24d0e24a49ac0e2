import type { MutantName } from '../mutants/mutants.ts'
import type { ApiTokens } from './api-tokens.ts'
import type { Sessions } from './sessions.ts'
import type { DemoWallet } from './wallets.ts'

/** Whose ticket a mutant takes a text for that is none; undefined: nobody's. */
export function takenForTicket(
  text: string,
  options: {
    mutant: MutantName | null
    sessions: Pick<Sessions, 'byAccessToken'>
    apiTokens: Pick<ApiTokens, 'bySecret'>
    wallets: readonly DemoWallet[]
  },
): string | undefined {
  const { mutant, sessions, apiTokens, wallets } = options
  switch (mutant) {
    case 'ws-takes-api-tokens':
      return apiTokens.bySecret(text)?.address
    case 'ws-takes-session-tokens':
      return sessions.byAccessToken(text)?.address
    case 'ws-takes-handshake-credentials':
      return apiTokens.bySecret(/^Bearer (\S+)$/.exec(text)?.[1] ?? '')?.address
    case 'ws-takes-any-ticket':
      return wallets.find(({ hasAccess, admin }) => hasAccess && !admin)?.address
    default:
      return undefined
  }
}
