import { z } from 'zod'
import { faultKind } from '../fault-kind.ts'
import { onSockets, scheduleOptions } from '../on-sockets.ts'

/** RFC 6455, section 7.4.1: never in a close frame; it is what a peer sees where none came. */
const CUT = 1006

const CODES = '1000 to 1014 without 1004 and 1005, or 3000 to 4999'

/** As a deployment does (specification, Events: Delivery), or a network. */
export const feedClose = faultKind({
  name: 'feed-close',
  summary: 'Closes open sockets: with 1012 as a deployment does, with another code, or without any.',
  options: z.strictObject({
    ...scheduleOptions,
    code: z
      .int()
      .refine(isCloseCode, `expected ${CODES}`)
      .default(1012)
      .describe(`Of the close frame: ${CODES}; 1006 cuts the connection without one`),
    reason: z
      .string()
      .refine((text) => Buffer.byteLength(text) <= 123, 'expected at most 123 bytes')
      .default('service restart')
      .describe('Of the close frame'),
  }),
  start({ code, reason, ...schedule }, tools) {
    const act = (id: number) => (code === CUT ? tools.feed.cut(id) : tools.feed.close(id, { code, reason }))
    onSockets({ schedule, tools, act })
    return {}
  },
})

/** RFC 6455, section 7.4, and 1006. */
function isCloseCode(code: number): boolean {
  return (code >= 1000 && code <= 1014 && code !== 1004 && code !== 1005) || (code >= 3000 && code <= 4999)
}
