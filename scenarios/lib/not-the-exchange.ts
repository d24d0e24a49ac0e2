/** What tells that an answer is none of the exchange: pure, for tests. */
export type Answered = { status: number; contentType: string; text: string; location: string | undefined }

/** Why an answer says nothing of the exchange's own, whatever was asked; undefined where it may be the exchange's. */
export function whyNotTheExchange(answer: Answered): string | undefined {
  const { status, location } = answer
  if (status >= 300 && status < 400) return `a redirect, to ${location ?? 'nowhere'}: not followed`
  // A refusal may come from what stands before an exchange, and as its page; a success may not: bodies are JSON.
  if (status >= 200 && status < 300 && isHtml(answer)) return 'an HTML page where the interface has JSON'
  return undefined
}

/** As whyNotTheExchange, for a read that every exchange has: nothing there, or a page, is none. */
export function whyNoSuchRead(answer: Answered): string | undefined {
  const { status } = answer
  if (status === 404 || status === 405 || status === 410) return `nothing there: ${status}`
  return whyNotTheExchange(answer) ?? (isHtml(answer) ? `an HTML page: ${status}` : undefined)
}

function isHtml({ contentType, text }: Answered): boolean {
  return /^text\/html\b/i.test(contentType) || /^\s*<(!doctype|html)\b/i.test(text)
}
