import { z } from 'zod'
import { faultKind } from '../fault-kind.ts'
import { matchesSocket, socketWhereSchema } from '../feed-where.ts'

export const wsTicketLate = faultKind({
  name: 'ws-ticket-late',
  summary:
    'A gateway node does not know a ticket until some time after it was issued: until then it rejects the ticket, which stays good.',
  breaks: 'A ticket authenticates from the moment that it is issued.',
  options: z.strictObject({
    where: socketWhereSchema.describe('Of addresses, that of the ticket counts'),
    lateMs: z.int().min(1).max(60_000).default(1000).describe('How long after the ticket was issued'),
  }),
  start: ({ where, lateMs }, { decides }) => ({
    ticket: ({ socket, ageMs }) =>
      ageMs < lateMs && matchesSocket(where, socket) && decides(`socket ${socket.id}`),
  }),
})
