import type { Choices } from '../choices/choices.ts'
import type { Alteration } from '../exchange/replies/alter-answers.ts'
import type { ACCESS_MUTANTS } from './access.ts'

export const ACCESS_ALTERATIONS: Readonly<Partial<Record<keyof typeof ACCESS_MUTANTS, Alteration>>> = {
  'access-ready-guarded': guarding(() => '/ready'),
  'access-stats-guarded': guarding(() => '/pools/stats'),
  'access-oracle-guarded': guarding(() => '/pools/:key/oracle'),
  'access-explore-tokens-guarded': guarding(({ paths }) => paths.exploreTokens),
  'access-tokens-guarded': guarding(() => '/tokens'),
  'access-compliance-guarded': guarding(({ paths }) => paths.compliance),
  'access-aggregator-guarded': guarding(({ aggregator }) => `${aggregator.prefix}/pairs`),
}

/** 401 to whoever comes without a credential. */
function guarding(route: (choices: Choices) => string): Alteration {
  return {
    alter: ({ reply, request, choices }) => {
      if (request.routeOptions.url !== route(choices) || request.credential !== 'missing') return undefined
      reply.code(401)
      return { error: 'credentials are missing' }
    },
  }
}
