import { Counter } from 'k6/metrics'

/** How a client of a mix ended: `refused` by 401 or 403, after which a client stops; `absent`: it could not sign in. */
export type ClientEnd = 'lived' | 'refused' | 'absent'

const clients = new Counter('mix_clients')

const TAGS: Readonly<Record<ClientEnd, { end: ClientEnd }>> = {
  lived: { end: 'lived' },
  refused: { end: 'refused' },
  absent: { end: 'absent' },
}

/** Counts a client of a mix by how it ended, for the report's notes. */
export function countClient(end: ClientEnd): void {
  clients.add(1, TAGS[end])
}
