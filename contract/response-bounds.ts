/**
 * Limits for responses and feed messages of a target; anything larger counts as unusable. Plain data, also imported by
 * scenarios inside k6. The longest pages of an exchange have about 100 kB, 6 levels and 3,000 values.
 */
export const RESPONSE_BOUNDS = {
  /** Applies to the encoded and to the decoded body. */
  bytesMax: 8 * 2 ** 20,
  /** Applies to one feed message, and to those queued for a busy client; an event has about 1,000. */
  messageBytesMax: 2 * 2 ** 20,
  /** Parsers and tree walkers may use a stack frame per level. */
  jsonLevelsMax: 1000,
  /** Each takes about a hundred bytes of memory, however short it is in JSON. */
  jsonValuesMax: 100_000,
} as const

/** Names the limit that a JSON text exceeds, in one pass and before it is parsed; undefined within the limits. */
export function beyondBounds(text: string, bounds: JsonBounds = RESPONSE_BOUNDS): string | undefined {
  const { jsonLevelsMax, jsonValuesMax } = bounds
  let levels = 0
  let values = 0
  let inString = false
  for (let at = 0; at < text.length; at++) {
    const char = text[at]
    if (inString) {
      if (char === '\\') at++
      else if (char === '"') inString = false
    } else if (char === '"') inString = true
    else if (char === ',') values++
    else if (char === '[' || char === '{') {
      values++
      levels++
      if (levels > jsonLevelsMax) return `JSON nested deeper than ${jsonLevelsMax} levels`
    } else if (char === ']' || char === '}') levels--
  }
  return values > jsonValuesMax ? `JSON of more than ${jsonValuesMax} values` : undefined
}

type JsonBounds = { readonly jsonLevelsMax: number; readonly jsonValuesMax: number }

/** A public read that every exchange has. */
export const EVERYBODYS_READ = '/tokens'

/**
 * Explains why the server that responded to that read is not an exchange; undefined if it may be one. An unrelated web server is
 * fast, and its speed could be mistaken for capacity. The load itself judges errors (5xx, 429) and 401 or 403.
 */
export function whyNoExchange({ status, body }: { status: number; body: string }): string | undefined {
  if (JUDGED.includes(status) || status >= 500) return undefined
  if (status !== 200) return `answered ${status}; expected 200`
  const beyond = beyondBounds(body)
  if (beyond !== undefined) return `returned 200 with ${beyond}`
  return isJson(body) ? undefined : 'returned 200 without JSON'
}

const JUDGED: readonly number[] = [401, 403, 429]

function isJson(body: string): boolean {
  try {
    JSON.parse(body)
    return true
  } catch {
    return false
  }
}

/**
 * Output of a runner whose check of the target (`checkTarget` of ScenarioConfig) prevents the load: k6 exits with the code, and its
 * log has a line with the words and the reason.
 */
export const TARGET_CHECK = {
  exitCode: 108,
  says: 'the target does not serve the load: ',
} as const

/** Returns a runner's complaint about its target from its log, as one line; undefined without one. */
export function targetProblemIn(log: string): string | undefined {
  const at = log.indexOf(TARGET_CHECK.says)
  if (at === -1) return undefined
  const from = at + TARGET_CHECK.says.length
  return /^.*/.exec(log.slice(from))?.[0]
}
