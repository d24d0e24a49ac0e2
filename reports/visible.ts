/**
 * Names of tokens and answers of targets come from strangers. Control characters could rewrite a terminal, and those that
 * set the direction of writing could show a line other than it is: both are shown as escapes. Line ends and tabs stay.
 */
export function visible(text: string): string {
  return text.replace(INVISIBLE, escapeCharacter)
}

/** The same on one line, and no longer than `lengthMax` characters. */
export function visibleLine(text: string, lengthMax = 300): string {
  return shortened(
    visible(text)
      .replace(/\s*[\r\n]+\s*/g, ' ⏎ ')
      .replaceAll('\t', ' '),
    lengthMax,
  )
}

/** Cut to `lengthMax` characters, and it says so. */
export function shortened(text: string, lengthMax: number): string {
  if (text.length <= lengthMax) return text
  return `${text.slice(0, lengthMax)}… (${text.length - lengthMax} characters more in findings.ndjson)`
}

/** \p{Cc}: control characters. Then the bidirectional controls (Unicode annex 9), and the line ends that only some know. */
const INVISIBLE =
  /(?![\t\n\r])\p{Cc}|[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\u2028\u2029\ufeff]|\p{Cs}/gu

function escapeCharacter(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
}
