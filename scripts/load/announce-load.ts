import { isLoopback } from '../../contract/is-loopback.ts'
import { visibleLine } from '../../reports/visible.ts'
import type { LoadPlan } from './plan-load.ts'

/** What a target is in for, told before anything is sent to it. */
export function announceLoad(
  plan: Pick<LoadPlan, 'job' | 'target' | 'mix' | 'slo' | 'requestsMax' | 'durationSecondsMax'>,
  what: string,
): string[] {
  const { target, mix, slo, requestsMax, durationSecondsMax } = plan
  const requests = requestsMax === null ? 'as many requests as that takes' : `at most ${requestsMax} requests`
  const profile = target?.profile
  return [
    `${plan.job} of ${profile === undefined ? 'the stub' : `${profile.name}: ${profile.baseUrl}`}`,
    `  ${what}; mix ${mix.name}, objectives ${slo.name}`,
    `  at most ${durationSecondsMax} s, and ${requests}`,
    ...(mix.clients.some(({ credential }) => credential === 'session')
      ? ['  changes: clients sign in, make sessions, and end them']
      : []),
    ...(target?.apiTokens.length === 0 && mix.clients.some(({ credential }) => credential === 'api-token')
      ? ['  changes: wallets sign in and make API tokens for clients, which are revoked at the end']
      : []),
    ...(profile === undefined || isLoopback(profile.baseUrl) || profile.baseUrl.startsWith('https:')
      ? []
      : ['  not encrypted: http:// shows credentials to the network']),
  ].map((line) => visibleLine(line))
}
