/** How values of options about a cluster are read: each throws commander's error with what was expected. */
import { isIP } from 'node:net'
import { InvalidArgumentError } from 'commander'
import type { ResultsPlace } from '../k8s/cluster-load.ts'

const MIB = 2 ** 20
const UNITS: Readonly<Record<string, number>> = { Mi: MIB, Gi: 2 ** 30, M: 1e6, G: 1e9 }

/** A size in bytes, of 64 MiB at least: k6 takes as much without any VU. */
export function memorySize(text: string): number {
  const [, amount = '', unit = ''] = /^([0-9]{1,7}(?:\.[0-9]{1,3})?)(Mi|Gi|M|G)$/.exec(text) ?? []
  const bytes = Math.round(Number(amount) * (UNITS[unit] ?? Number.NaN))
  if (!(bytes >= 64 * MIB && bytes <= 2 ** 40))
    throw new InvalidArgumentError('Expected a size from 64Mi to 1024Gi, with Mi, Gi, M or G behind it.')
  return bytes
}

/** The name of a TestRun: what belongs to it is called so too, with more behind it. */
export function runName(text: string): string {
  if (/^[a-z]([-a-z0-9]{0,38}[a-z0-9])?$/.test(text)) return text
  throw new InvalidArgumentError(
    'Expected small letters, digits and hyphens, at most 40, a letter first and no hyphen last.',
  )
}

/** The name of something that is in the cluster already. */
export function kubeName(text: string): string {
  if (/^[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?$/.test(text)) return text
  throw new InvalidArgumentError('Expected a name of the cluster: small letters, digits, hyphens and dots.')
}

/** An image, by its name and tag or digest. */
export function imageReference(text: string): string {
  if (/^[A-Za-z0-9][A-Za-z0-9._:/@-]{0,400}$/.test(text)) return text
  throw new InvalidArgumentError('Expected an image, such as registry.example/breakwater:1.')
}

/** Where measurements are kept until they are gathered. */
export function resultsPlace(text: string): ResultsPlace {
  if (text === 'pod') return { kind: 'pod' }
  const [, claim] = /^claim=(.+)$/.exec(text) ?? []
  if (claim !== undefined) return { kind: 'claim', claim: kubeName(claim) }
  const here = hereOf(text)
  if (here !== undefined) return { kind: 'here', ...here }
  throw new InvalidArgumentError(
    'Expected pod, claim=NAME, or here=ADDRESS[:PORT] with an IP address such as 10.0.0.5 or [fd00::5].',
  )
}

/** Where a collector listens unless told otherwise. */
const COLLECTOR_PORT = 8090

function hereOf(text: string): { host: string; port: number } | undefined {
  const [, six, four, digits] = /^here=(?:\[([^\]]+)\]|([0-9.]+))(?::([0-9]{1,5}))?$/.exec(text) ?? []
  const host = six ?? four ?? ''
  const port = digits === undefined ? COLLECTOR_PORT : Number(digits)
  const isAddress = isIP(host) === (six === undefined ? 4 : 6)
  return isAddress && port >= 1 && port <= 65_535 ? { host, port } : undefined
}
