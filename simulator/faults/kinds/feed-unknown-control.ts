import { z } from 'zod'
import { faultKind } from '../fault-kind.ts'
import { onSockets, scheduleOptions } from '../on-sockets.ts'

const KNOWN = ['synchronized', 'resync_required']

/** Clients ignore them (specification, Events: Server messages). */
export const feedUnknownControl = faultKind({
  name: 'feed-unknown-control',
  summary: 'Sends a control that the specification does not name to open sockets.',
  options: z.strictObject({
    ...scheduleOptions,
    control: z
      .string()
      .min(1)
      .max(200)
      .refine((name) => !KNOWN.includes(name), `expected a control other than ${KNOWN.join(' and ')}`)
      .default('maintenance_announced')
      .describe('Its name'),
    fields: z.record(z.string(), z.json()).default({}).describe('What stands beside `control`'),
  }),
  start({ control, fields, ...schedule }, tools) {
    onSockets({ schedule, tools, act: (id) => tools.feed.sendControl(id, { ...fields, control }) })
    return {}
  },
})
