import type { Block, Receipt } from '../../simulator/chain/block.ts'

/** A line of JSON for each event of the block, and for each refused transaction: docs/formats.md says what stands in them. */
export function eventLines(block: Block): readonly string[] {
  return block.receipts.flatMap((receipt, index) => linesOf(receipt, { block, index }))
}

function linesOf(receipt: Receipt, { block, index }: { block: Block; index: number }): readonly string[] {
  const { id, sender, kind, refused, events } = receipt
  const where = { block: block.height, atMs: block.timeMs, receipt: index, transaction: id, sender, kind }
  const begin = jsonText(where).slice(0, -1)
  if (refused !== null) return [`${begin},"refused":${jsonText(refused)}}`]
  return events.map((event) => `${begin},"event":${jsonText(event)}}`)
}

/** As JSON.stringify, but for bigints, which become strings of digits; a replacer for them takes five times as long. */
function jsonText(value: unknown): string {
  if (typeof value === 'bigint') return `"${value}"`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  if (Array.isArray(value)) return `[${value.map(jsonText).join(',')}]`
  let fields = ''
  for (const [name, field] of Object.entries(value)) fields += `${fields && ','}"${name}":${jsonText(field)}`
  return `{${fields}}`
}
