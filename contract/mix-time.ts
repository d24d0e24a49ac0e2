import type { Mix, MixTime } from './mix.ts'

/** Plain, as scenarios inside k6 import it too. */
export function meanSeconds(time: MixTime): number {
  if (time.distribution === 'constant') return time.seconds
  if (time.distribution === 'uniform') return (time.minSeconds + time.maxSeconds) / 2
  if (time.distribution === 'exponential') return time.meanSeconds
  return time.medianSeconds * Math.exp(time.spread ** 2 / 2)
}

/** Of a client of the mix, by how often each kind comes. */
export function meanLifeOf({ clients }: Pick<Mix, 'clients'>): number {
  const all = clients.reduce((sum, { arrivalsPerSecond }) => sum + arrivalsPerSecond, 0)
  return clients.reduce(
    (sum, { arrivalsPerSecond, life }) => sum + (arrivalsPerSecond / all) * meanSeconds(life),
    0,
  )
}
