/** What tells that an answer is none of the exchange: pure, for tests. */
export type Answered = {
  status: number
  contentType: string
  text: string
  /** Undefined where the text is none. */
  json: unknown
  location: string | undefined
}

/** Why an answer says nothing of the exchange's own, whatever was asked; undefined where it may be the exchange's. */
export function whyNotTheExchange(answer: Answered): string | undefined {
  const { status, location } = answer
  if (status >= 300 && status < 400) return `a redirect, to ${location ?? 'nowhere'}: not followed`
  // A refusal may come from what stands before an exchange, and as its page; a success may not: bodies are JSON.
  if (status >= 200 && status < 300 && isHtml(answer)) return 'an HTML page where the interface has JSON'
  return undefined
}

/** With which an exchange may refuse it all the same, rightly or not: that is for probes to say. */
const REFUSALS = [400, 401, 403, 422, 429]

/** As whyNotTheExchange, for a read that every exchange has: nothing there, or a page, is none. */
export function whyNoSuchRead(answer: Answered): string | undefined {
  const { status, json } = answer
  if (status >= 400 && !REFUSALS.includes(status)) return `nothing there: ${status}`
  if (isHtml(answer)) return `an HTML page: ${status}`
  const isRecord = typeof json === 'object' && json !== null
  if (status >= 200 && status < 300 && !isRecord) return `no JSON object: ${status}`
  return whyNotTheExchange(answer)
}

/** Of a body that may be long. */
const HEAD_LENGTH = 1000

function isHtml(answer: Answered): boolean {
  const { contentType } = answer
  // Every request of a load comes by here, and looking into its body takes time.
  if (contentType.startsWith('application/json')) return false
  return (
    /^text\/html\b/i.test(contentType) || /^\s*<(!doctype|html)\b/i.test(answer.text.slice(0, HEAD_LENGTH))
  )
}
