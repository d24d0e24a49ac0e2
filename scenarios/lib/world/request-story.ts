import { world } from '../config.ts'
import { formatLine, redactor } from '../redact.ts'
import { type Credential, followRequests, type Reply, type RequestSpec } from '../requests/request.ts'
import { pause } from '../time/pause.ts'
import { isOrdered, recordEntry } from '../timeline.ts'
import { elapse } from './control.ts'
import { quiet } from './news.ts'

/** Records each request and response in the timeline, and waits by the clock of the case. */
export function recordRequests(): void {
  followRequests({
    async send(target, spec, once) {
      await quiet(target)
      recordEntry(target, 'sent', describeRequest(spec))
      const reply = await once(target, spec)
      await quiet(target)
      recordEntry(target, 'received', describeReply(reply))
      return reply
    },
    pause: wait,
  })
}

function describeRequest({ method, path, query = {}, credential, body }: RequestSpec): string {
  const parameters = Object.entries(query).map(([name, value]) => `${name}=${value}`)
  const url = parameters.length === 0 ? path : `${path}?${parameters.join('&')}`
  const text = body === undefined ? '' : ` ${redactor.redactBody(JSON.stringify(body))}`
  return formatLine(`${method} ${redactor.redact(url)}${credentialText(credential)}${text}`)
}

function credentialText(credential: Credential | undefined): string {
  if (credential === undefined) return ''
  return 'bearer' in credential ? ' (API token)' : ' (session)'
}

function describeReply(reply: Reply): string {
  const { status, headers, cookies, text } = reply
  if (status === 0) return formatLine(reply.evidence().replace(/^.* -> /, ''))
  const wait = headers['retry-after']
  const facts = [
    String(status),
    ...(wait === undefined ? [] : [`Retry-After ${wait}`]),
    // Sorted, because k6 has no cookie order.
    ...cookies.map(({ name, value }) => (value === '' ? `clears ${name}` : `sets ${name}`)).sort(),
  ]
  return formatLine(`${facts.join(', ')} ${redactor.redactBody(text)}`.trim())
}

/** Like `pause`, but moves the clock in manual pace. */
async function wait(ms: number): Promise<void> {
  if (isOrdered) await elapse(world('main'), ms)
  else await pause(ms)
}
