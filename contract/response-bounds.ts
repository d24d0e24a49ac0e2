/**
 * What is read of a target's response, or of a message of its feed, at most; beyond it no usable response came. Plain data: also
 * imported by scenarios inside k6. The longest pages of an exchange have some 100 kB and 6 levels.
 */
export const RESPONSE_BOUNDS = {
  /** As sent, and as decoded. */
  bytesMax: 8 * 2 ** 20,
  /** Parsers, and all that walks through what they return, may take a level of the stack for each. */
  jsonLevelsMax: 128,
} as const

/** Whether a text, if it is JSON, nests deeper than `levels`: counted in one pass, to be asked before it is parsed. */
export function nestsDeeper(text: string, levels: number): boolean {
  // Each level takes a character.
  if (text.length <= levels) return false
  let depth = 0
  let inString = false
  for (let at = 0; at < text.length; at++) {
    const char = text[at]
    if (inString) {
      if (char === '\\') at++
      else if (char === '"') inString = false
    } else if (char === '"') inString = true
    else if (char === '[' || char === '{') {
      depth++
      if (depth > levels) return true
    } else if (char === ']' || char === '}') depth--
  }
  return false
}
