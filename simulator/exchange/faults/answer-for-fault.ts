import type { FastifyReply } from 'fastify'
import type { Choices } from '../../choices/choices.ts'
import type { Clock } from '../../clock.ts'
import { errorPage } from '../../faults/error-page.ts'
import type { Answered, Refused } from '../../faults/seams.ts'
import { errorBody } from '../errors/errors.ts'
import { spellRetryAfter } from '../errors/retry-after.ts'

type Options = { choices: Choices; clock: Clock }

/** What a fault answers with. */
type Answering = ({ do: 'answer' } & Answered) | ({ do: 'refuse' } & Refused)

/** The body, once the head says what goes with it. */
export function answerForFault(deed: Answering, reply: FastifyReply, options: Options): string {
  const {
    status,
    headers = {},
    body,
    contentType,
  } = deed.do === 'answer' ? deed : refusal(deed, reply, options)
  reply
    .code(status)
    .type(contentType ?? 'application/json; charset=utf-8')
    .headers(headers)
    .removeHeader('content-length')
  return body
}

function refusal(refused: Refused, reply: FastifyReply, { choices, clock }: Options): Answered {
  const { status, code, error, retryAfterMs: waitMs, body } = refused
  const { request } = reply
  request.failure = { code, source: null }
  if (waitMs !== undefined) spellRetryAfter(reply, { waitMs, choices, clock })
  if (body === 'none') return { status, body: '', contentType: 'text/plain' }
  if (body === 'html') return { status, body: errorPage(status), contentType: 'text/html; charset=utf-8' }
  return { status, body: JSON.stringify(errorBody({ error, code, request, choices })) }
}
