import { z } from 'zod'
import { errorPage } from '../error-page.ts'
import { faultKind } from '../fault-kind.ts'
import type { SeenAnswer } from '../seams.ts'
import { matchesRequest, restWhereSchema } from '../where.ts'

type Body = { body: string; contentType?: string }

/** What comes in place of the body. */
const SPOILED = {
  'cut-json': ({ body }) => ({ body: body.slice(0, Math.floor(body.length / 2)) }),
  'html-page': ({ status }) => ({ body: errorPage(status), contentType: 'text/html; charset=utf-8' }),
  'text-type': ({ body }) => ({ body, contentType: 'text/plain; charset=utf-8' }),
  empty: () => ({ body: '' }),
  null: () => ({ body: 'null' }),
  garbage: ({ body }) => ({ body: `\u0000\ufffd${body}` }),
} as const satisfies Record<string, (seen: SeenAnswer) => Body>

const ANSWERS = {
  any: () => true,
  successes: (status) => status < 400,
  errors: (status) => status >= 400,
} as const satisfies Record<string, (status: number) => boolean>

export const httpMalformed = faultKind({
  name: 'http-malformed',
  summary:
    'Spoils the bodies of answers, status and length as they should be; what was asked for has been done, or refused.',
  breaks: 'Bodies are JSON (Conventions).',
  options: z.strictObject({
    where: restWhereSchema,
    of: z.enum(['any', 'successes', 'errors']).default('any').describe('Which answers'),
    as: z
      .enum(['cut-json', 'html-page', 'text-type', 'empty', 'null', 'garbage'])
      .describe(
        'The first half of the JSON, the page of a proxy, the right body as `text/plain`, nothing, `null`, or other bytes ahead of the JSON',
      ),
  }),
  start({ where, of, as }, { decides }) {
    return {
      answer: (seen) =>
        matchesRequest(where, seen) && ANSWERS[of](seen.status) && decides(seen.ref)
          ? { do: 'answer', status: seen.status, ...SPOILED[as](seen) }
          : undefined,
    }
  },
})
