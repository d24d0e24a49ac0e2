/** Values of options about a cluster. */
import { isIP } from 'node:net'
import { InvalidArgumentError } from 'commander'
import type { ResultsPlace } from '../k8s/plan-cluster-load.ts'

const MIB = 2 ** 20
const UNITS: Readonly<Record<string, number>> = { Mi: MIB, Gi: 2 ** 30, M: 1e6, G: 1e9 }

/** Parses a size into bytes: at least 64 MiB, which k6 takes without any VU. */
export function memorySize(text: string): number {
  const [, amount = '', unit = ''] = /^([0-9]{1,7}(?:\.[0-9]{1,3})?)(Mi|Gi|M|G)$/.exec(text) ?? []
  const bytes = Math.round(Number(amount) * (UNITS[unit] ?? Number.NaN))
  if (!(bytes >= 64 * MIB && bytes <= 2 ** 40))
    throw new InvalidArgumentError('Expected a size from 64Mi to 1024Gi, in Mi, Gi, M or G.')
  return bytes
}

/** The name of a TestRun: short, as it is the prefix of other names. */
export function runName(text: string): string {
  if (/^[a-z]([-a-z0-9]{0,38}[a-z0-9])?$/.test(text)) return text
  throw new InvalidArgumentError(
    'Expected at most 40 lowercase letters, digits and hyphens, with a letter first and no hyphen at the end.',
  )
}

/** The name of an object that exists in the cluster. */
export function kubeName(text: string): string {
  if (/^[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?$/.test(text)) return text
  throw new InvalidArgumentError('Expected a Kubernetes name: lowercase letters, digits, hyphens and dots.')
}

/** An image name with a tag or digest. */
export function imageReference(text: string): string {
  if (/^[A-Za-z0-9][A-Za-z0-9._:/@-]{0,400}$/.test(text)) return text
  throw new InvalidArgumentError('Expected an image, such as registry.example/breakwater:1.')
}

export function resultsPlace(text: string): ResultsPlace {
  if (text === 'pod') return { kind: 'pod' }
  const [, claim] = /^claim=(.+)$/.exec(text) ?? []
  if (claim !== undefined) return { kind: 'claim', claim: kubeName(claim) }
  const here = parseHere(text)
  if (here !== undefined) return { kind: 'here', ...here }
  throw new InvalidArgumentError(
    'Expected pod, claim=NAME, or here=ADDRESS[:PORT] with an IP address such as 10.0.0.5 or [fd00::5].',
  )
}

const COLLECTOR_PORT = 8090

function parseHere(text: string): { host: string; port: number } | undefined {
  const [, six, four, digits] = /^here=(?:\[([^\]]+)\]|([0-9.]+))(?::([0-9]{1,5}))?$/.exec(text) ?? []
  const host = six ?? four ?? ''
  const port = digits === undefined ? COLLECTOR_PORT : Number(digits)
  const isAddress = isIP(host) === (six === undefined ? 4 : 6)
  return isAddress && port >= 1 && port <= 65_535 ? { host, port } : undefined
}
