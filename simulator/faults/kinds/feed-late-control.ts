import { z } from 'zod'
import { faultKind } from '../fault-kind.ts'
import { matchesSocket, socketWhereSchema } from '../feed-where.ts'
import { globs, matchesAny } from '../where.ts'

export const feedLateControl = faultKind({
  name: 'feed-late-control',
  summary: 'Sends controls late: the answer to `synchronize`, or others that are named.',
  options: z.strictObject({
    where: socketWhereSchema,
    controls: globs.default(['synchronized']).describe('Values of `control`; `*` stands for any text'),
    delayMs: z.int().min(1).max(3_600_000).default(5000).describe('How late'),
  }),
  start: ({ where, controls, delayMs }, { decides }) => ({
    control: ({ control, socket }) =>
      matchesAny(controls, control) &&
      matchesSocket(where, socket) &&
      decides(`${control} to socket ${socket.id}`)
        ? delayMs
        : undefined,
  }),
})
