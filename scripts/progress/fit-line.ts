import stringWidth from 'string-width'
import { visibleLine, withoutLogCommands } from '../../reports/visible.ts'

const BETWEEN = '; '
const CUT = '…'

/**
 * As many of the parts, from the first on, as a line of so many columns takes; the first is cut where not even that fits. Wide
 * characters count as two columns, and what would control the terminal is shown as escapes.
 */
export function fitLine(parts: readonly string[], columnsMax: number): string {
  const [first = '', ...others] = parts
    .filter((part) => part !== '')
    .map((part) => withoutLogCommands(visibleLine(part)))
  let line = cut(first, columnsMax)
  if (line !== first) return line
  for (const part of others) {
    const longer = `${line}${BETWEEN}${part}`
    if (stringWidth(longer) > columnsMax) return line
    line = longer
  }
  return line
}

const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' })

/** By what a reader takes for characters: an accent, or half of an emoji, is never left alone. */
function cut(text: string, columnsMax: number): string {
  if (stringWidth(text) <= columnsMax) return text
  let kept = ''
  let columns = CUT.length
  for (const { segment } of graphemes.segment(text)) {
    columns += stringWidth(segment)
    if (columns > columnsMax) break
    kept += segment
  }
  return columnsMax < CUT.length ? '' : `${kept.trimEnd()}${CUT}`
}
