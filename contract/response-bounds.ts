/**
 * What is read of a target's response, or of a message of its feed, at most; beyond it no usable response came. Plain data: also
 * imported by scenarios inside k6. The longest pages of an exchange have some 100 kB, 6 levels, and 3,000 values.
 */
export const RESPONSE_BOUNDS = {
  /** As sent, and as decoded. */
  bytesMax: 8 * 2 ** 20,
  /** Of one message of the feed, or of those that wait for a client that is busy; an event has some 1,000. */
  messageBytesMax: 2 * 2 ** 20,
  /** Parsers, and all that walks through what they return, may take a level of the stack for each. */
  jsonLevelsMax: 1000,
  /** Each takes some hundred bytes, however short it is in JSON. */
  jsonValuesMax: 100_000,
} as const

/** What a text has too much of if it is JSON: counted in one pass, to be asked before it is parsed. Undefined: it is within the bounds. */
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
 * Why what answered that read is no exchange; undefined where it may be one. A web server that has never heard of it is quick, and its
 * speed would pass for capacity. Trouble (5xx, 429) and a refusal of who asks (401, 403) are for the load to judge.
 */
export function whyNoExchange({ status, body }: { status: number; body: string }): string | undefined {
  if (JUDGED.includes(status) || status >= 500) return undefined
  if (status !== 200) return `answered ${status}; expected 200`
  const beyond = beyondBounds(body)
  if (beyond !== undefined) return `answered 200, with ${beyond}`
  return isJson(body) ? undefined : 'answered 200, and no JSON'
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
 * What a runner says that has looked at its target before the load (`checkTarget` of ScenarioConfig) and does not make it: k6 then ends
 * with the code, and its log has a line with the words and the reason.
 */
export const TARGET_CHECK = {
  exitCode: 108,
  says: 'the target does not serve the load: ',
} as const

/** What the log of a runner says against its target, as one line; undefined where it says nothing. */
export function targetProblemIn(log: string): string | undefined {
  const at = log.indexOf(TARGET_CHECK.says)
  if (at === -1) return undefined
  const from = at + TARGET_CHECK.says.length
  return /^.*/.exec(log.slice(from))?.[0]
}
