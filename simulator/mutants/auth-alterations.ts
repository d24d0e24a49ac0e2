import { valueAt } from '../demo-client.ts'
import type { Alteration } from '../exchange/replies/alter-answers.ts'
import type { ADMIN_MUTANTS, REFERRAL_MUTANTS } from './admin.ts'
import type { API_TOKEN_MUTANTS } from './api-token.ts'
import type { AUTH_MUTANTS } from './auth.ts'

type Mutants = typeof AUTH_MUTANTS & typeof API_TOKEN_MUTANTS & typeof ADMIN_MUTANTS & typeof REFERRAL_MUTANTS

export const AUTH_ALTERATIONS: Readonly<Partial<Record<keyof Mutants, Alteration>>> = {
  'auth-challenge-without-nonce': withoutField('POST /auth/challenge', () => 'data.nonce'),
  'auth-verify-without-expiry': withoutField('POST /auth/verify', ({ verify }) => verify.accessExpiresAt),
  'auth-missing-403': unauthorized('GET /access/status', 403),
  'auth-session-missing-403': unauthorized('GET /auth/sessions', 403),
  'auth-admin-missing-403': unauthorized('GET /referral/codes', 403),
  'auth-portfolio-missing-403': {
    statuses: (answered) => answered === 401,
    alter: ({ request, reply, choices }) => {
      const { positionsPath, balancesPath } = choices.profile
      if ([positionsPath, balancesPath].includes(request.url) && request.credential === 'missing')
        reply.code(403)
    },
  },
  'auth-invalid-403': {
    routes: ['GET /swaps'],
    statuses: (status) => status === 401,
    alter: ({ request, reply }) => {
      if (request.credential === 'invalid' && request.headers.authorization !== undefined) reply.code(403)
    },
  },
  'auth-sessions-lists-current': {
    routes: ['GET /auth/sessions'],
    alter: ({ body, choices }) => {
      const { list, current } = choices.profile.sessions
      const rows = valueAt(body, list) as unknown[] // as: the stub's own list
      rows.splice(0, rows.length, ...rows.filter((row) => valueAt(row, current) === true))
    },
  },
  'auth-secret-in-location': {
    routes: ['POST /auth/verify'],
    alter: ({ body, reply, choices }) => {
      reply.header('location', `/?csrf=${valueAt(body, choices.profile.verify.csrfToken)}`)
    },
  },
  'auth-access-token-listed': {
    routes: ['GET /auth/sessions'],
    alter: ({ body, request, choices }) => {
      body.access_token = request.cookies[choices.profile.cookies.access]
    },
  },
  'auth-refresh-token-in-body': {
    routes: ['POST /auth/refresh'],
    alter: ({ body, request, choices }) => {
      body.replaced = request.cookies[choices.profile.cookies.refresh]
    },
  },
  'auth-secret-in-error': {
    statuses: (status) => status === 401,
    alter: ({ body, request }) => {
      if (request.headers.authorization) body.error = `${body.error}: ${request.headers.authorization}`
    },
  },
  'auth-secret-in-header': {
    routes: ['GET /swaps'],
    alter: ({ reply, request }) => {
      if (request.headers.authorization) reply.header('x-authorized-by', request.headers.authorization)
    },
  },
  'auth-secret-in-body': {
    routes: ['POST /api-tokens'],
    alter: ({ body }) => {
      body.manage = `https://exchange.example/tokens?secret=${valueAt(body, 'data.token')}`
    },
  },
  'api-token-create-bare': withoutField('POST /api-tokens', () => 'data.token_prefix'),
  'api-token-unlisted': {
    routes: ['GET /api-tokens'],
    alter: ({ body, choices }) => {
      const rows = valueAt(body, choices.profile.apiTokens.list) as unknown[] // as: the stub's own list
      rows.length = 0
    },
  },
  'api-token-revoke-says-false': withField('DELETE /api-tokens/:id', { name: 'revoked', value: false }),
  'admin-mint-without-tx': withoutField('POST /tokens/mint', () => 'data.tx_id'),
  'admin-codes-total-text': withField('GET /referral/codes', { name: 'total', value: 'many' }),
  'admin-codes-undated': eachCode((code) => {
    delete code.created_at
  }),
  'admin-codes-issued-to-number': eachCode((code) => {
    code.issued_to = 7
  }),
  'referral-status-text': withField('GET /referral/status', { name: 'has_access', value: 'true' }),
  'referral-access-text': withField('GET /access/status', { name: 'has_access', value: 'true' }),
}

function withoutField(
  route: string,
  pathOf: (choices: Parameters<Alteration['alter']>[0]['choices']['profile']) => string,
): Alteration {
  return {
    routes: [route],
    alter: ({ body, choices }) => {
      const names = pathOf(choices.profile).split('.')
      const holder = valueAt(body, names.slice(0, -1).join('.')) as Record<string, unknown> // as: the stub's own body
      delete holder[names.at(-1) ?? '']
    },
  }
}

/** The inventory with its codes changed. */
function eachCode(change: (code: Record<string, unknown>) => void): Alteration {
  return {
    routes: ['GET /referral/codes'],
    alter: ({ body }) => {
      for (const code of valueAt(body, 'data.codes') as Record<string, unknown>[]) change(code) // as: the stub's own list
    },
  }
}

/** `data` with another value in a field. */
function withField(route: string, { name, value }: { name: string; value: unknown }): Alteration {
  return {
    routes: [route],
    alter: ({ body }) => Object.assign(body.data as object, { [name]: value }) && body,
  }
}

/** Answers those who come without credentials with another status. */
function unauthorized(route: string, status: number): Alteration {
  return {
    routes: [route],
    statuses: (answered) => answered === 401,
    alter: ({ request, reply }) => {
      if (request.credential === 'missing') reply.code(status)
    },
  }
}
