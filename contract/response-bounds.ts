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
