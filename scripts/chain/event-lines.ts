import type { Block } from '../../simulator/chain/block.ts'

/** A line of JSON for each event of the block, and for each refused transaction: docs/formats.md says what stands in them. */
export function eventLines({ height, timeMs, receipts }: Block): readonly string[] {
  return receipts.flatMap(({ id, sender, kind, refused, events }, index) => {
    const where = { block: height, atMs: timeMs, receipt: index, transaction: id, sender, kind }
    if (refused !== null) return [JSON.stringify({ ...where, refused })]
    return events.map((event) => JSON.stringify({ ...where, event }, amountsAsDigits))
  })
}

function amountsAsDigits(_name: string, value: unknown): unknown {
  return typeof value === 'bigint' ? String(value) : value
}
