import { setTimeout as wait } from 'node:timers/promises'
import type { ChoiceSetName, Target } from '../../contract/scenario-config.ts'
import { createRandom, type RandomStream } from '../../simulator/random.ts'
import type { Exchange, Upgrade } from './fault-proxy.ts'
import type { PersistentError, ProxyFaults } from './persistent-errors.ts'
import { brokenProbes, type Probed, probeBehind, unexpectedFailures, without } from './probe-behind.ts'
import { strangeFrames, strangeResponses } from './strange-responses.ts'

/** A run through the proxy. The functions below return its problems. */
type Run = { choices: ChoiceSetName; seed: number; share: number; rules?: string }

/** With transient errors, no rule may fail, however many are inconclusive. */
export async function runWithTransientErrors({ choices, seed, share, rules = '*' }: Run): Promise<string[]> {
  let injected = 0
  const onError = () => {
    injected++
  }
  const probed = await probeBehind({
    choices,
    seed: 1,
    rules,
    faults(world) {
      const random = createRandom(seed).stream(world)
      return {
        changeRest: injectErrors({ random, share, onError }),
        changeFeed: injectFeedErrors({ random, share, onError }),
      }
    },
  })
  return [
    ...unexpectedFailures(probed),
    ...(injected > 0 ? [] : ['no error was injected']),
    ...silent(probed),
  ]
}

/** With a persistent error, exactly the rules that it breaks must fail. */
export async function runWithPersistentError(
  { rules, breaks, choices: _, ...faults }: PersistentError,
  { choices }: Pick<Run, 'choices'>,
): Promise<string[]> {
  const probed = await probeBehind({
    choices,
    seed: 1,
    rules,
    faults: () => faults,
  })
  const failed = probed.rules.filter(({ verdict }) => verdict === 'fail')
  const missed = breaks.filter((rule) => !failed.some(({ id }) => id === rule))
  const wrongly = failed.filter(({ id }) => !breaks.includes(id))
  return [
    ...missed.map((id) => {
      const { verdict, reason } = probed.rules.find((rule) => rule.id === id) ?? {}
      return `not reported: ${id}: ${verdict}: ${reason}`
    }),
    ...wrongly.map(
      ({ id, observed, evidence }) => `wrongly reported: ${id}: ${observed} ${evidence.join(' | ')}`,
    ),
    ...brokenProbes(probed.rules),
  ]
}

/** When everything fails from some moment on, no rule may fail. */
export async function runInOutage(
  outage: () => ProxyFaults,
  { choices, rules = '*' }: Pick<Run, 'choices' | 'rules'>,
): Promise<string[]> {
  const probed = await probeBehind({ choices, seed: 1, rules, faults: outage })
  return [...unexpectedFailures(probed), ...silent(probed)]
}

/** With malformed responses and frames, rules may fail, but no probe may crash. */
export async function runWithStrangeResponses({
  choices,
  seed,
  share,
  rules: chosen = '*',
}: Run): Promise<string[]> {
  const probed = await probeBehind({
    choices,
    seed: 1,
    rules: chosen,
    faults(world) {
      const random = createRandom(seed).stream(world)
      return { changeRest: strangeResponses({ random, share }), changeFeed: strangeFrames({ random, share }) }
    },
  })
  const { run, rules } = probed
  const ended =
    run.reason === 'finished' && run.exitCode === 0 ? [] : [`k6 ended: ${run.meaning} (${run.reason})`]
  return [...ended, ...brokenProbes(rules), ...silent(probed)]
}

/** With a broken gateway next to a good REST host, no rule may fail. */
export async function runOnHostileFeed(
  changeFeed: (upgrade: Upgrade) => void,
  { rules = 'ws.*' }: { rules?: string } = {},
): Promise<string[]> {
  const probed = await probeBehind({
    choices: 'default',
    seed: 1,
    rules,
    faults: () => ({ changeRest: passOn, changeFeed }),
  })
  return [...unexpectedFailures(probed), ...silent(probed)]
}

/** With another profile or other credentials for a good stub, no rule may fail. */
export async function runWithTarget(options: {
  choices: ChoiceSetName
  rules?: string
  change: (target: Target) => Target
}): Promise<string[]> {
  const probed = await probeBehind({
    ...options,
    seed: 1,
    faults: () => ({ changeRest: passOn, changeFeed: passOnFeed }),
  })
  return [...unexpectedFailures(probed), ...silent(probed)]
}

export const withoutChoices =
  (paths: readonly string[]) =>
  ({ profile, ...target }: Target): Target => ({
    ...target,
    profile: { ...profile, choices: without(profile.choices, paths) },
  })

export const POOR_CREDENTIALS = {
  'no credentials at all': (target) => ({ ...target, wallets: [], apiTokens: [] }),
  'an expired API token alone': (target) => ({ ...target, wallets: [], apiTokens: [EXPIRED] }),
  'API tokens alone': (target) => ({ ...target, wallets: [] }),
  'a wallet without access alone': ({ wallets, ...target }) => ({
    ...target,
    wallets: wallets.filter(({ hasAccess }) => !hasAccess).slice(0, 1),
    apiTokens: [],
  }),
  'one wallet alone': ({ wallets, ...target }) => ({
    ...target,
    wallets: wallets.slice(0, 1),
    apiTokens: [],
  }),
  'wallets without keys': ({ wallets, ...target }) => ({
    ...target,
    wallets: wallets.map(({ privateKeyJwk: _, ...wallet }) => wallet),
    apiTokens: [],
  }),
  'an expired API token next to good wallets': (target) => ({ ...target, apiTokens: [EXPIRED] }),
} satisfies Record<string, (target: Target) => Target>
const EXPIRED = 'ss_this-one-has-had-its-time-long-ago'

/** Reports rules without a verdict from any probe. */
function silent({ rules }: Probed): string[] {
  const ids = rules.filter(({ reason }) => reason?.startsWith('no finding')).map(({ id }) => id)
  return ids.length === 0 ? [] : [`no verdict on ${ids.length} rules: ${ids.slice(0, 5).join(', ')}`]
}

async function passOn({ forward, reply }: Exchange): Promise<void> {
  reply(await forward())
}

function passOnFeed({ join }: Upgrade): void {
  join()
}

type TransientError = (exchange: Exchange, random: RandomStream) => Promise<void> | void

const HTML = Buffer.from('<!doctype html><title>Error</title><h1>Bad gateway</h1>')

const TRANSIENT_ERRORS: readonly { name: string; weight: number; make: TransientError }[] = [
  { name: 'reset before it is done', weight: 1, make: ({ response }) => void response.destroy() },
  {
    name: 'reset after it is done',
    weight: 1,
    async make({ forward, response }) {
      await forward()
      response.destroy()
    },
  },
  { name: '502', weight: 1, make: ({ reply }) => reply(html(502)) },
  { name: '503', weight: 1, make: ({ reply }) => reply(html(503, { 'retry-after': '1' })) },
  { name: '500 as JSON', weight: 1, make: ({ reply }) => reply(json(500, { error: 'internal' })) },
  {
    name: '429',
    weight: 1,
    make: ({ reply }) => reply(json(429, { error: 'slow down' }, { 'retry-after': '1' })),
  },
  {
    name: '429 until a date',
    weight: 1,
    make: ({ reply }) => reply(html(429, { 'retry-after': new Date(Date.now() + 1500).toUTCString() })),
  },
  {
    name: 'late',
    weight: 3,
    async make({ forward, reply }, random) {
      const response = await forward()
      await wait(random.int(50, 800))
      reply(response)
    },
  },
  {
    name: 'cut short',
    weight: 1,
    async make({ forward, response }) {
      const { status, headers, body } = await forward()
      response.writeHead(status, { ...headers, 'content-length': body.length })
      response.write(body.subarray(0, body.length / 2), () => response.destroy())
    },
  },
]

export function injectErrors(options: {
  random: RandomStream
  share: number
  onError: (name: string) => void
}): (exchange: Exchange) => Promise<void> {
  const { random, share, onError } = options
  const pool = TRANSIENT_ERRORS.flatMap((error) => Array.from({ length: error.weight }, () => error))
  return async (exchange) => {
    if (random.float() >= share) {
      exchange.reply(await exchange.forward())
      return
    }
    const { name, make } = random.pick(pool)
    onError(name)
    await make(exchange, random)
  }
}

/** Rejects some sockets, and closes others after a while, with a deployment's code or without a close frame. */
export function injectFeedErrors(options: {
  random: RandomStream
  share: number
  onError: (name: string) => void
}): (upgrade: Upgrade) => void {
  const { random, share, onError } = options
  return ({ client, join }) => {
    const kind = random.float() < share ? random.pick(['refused', 'reset', 'cut', '1012'] as const) : 'none'
    if (kind !== 'none') onError(`feed: ${kind}`)
    if (kind === 'refused') client.end('HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\n\r\n')
    else if (kind === 'reset') client.destroy()
    else endLater({ client, kind, behind: join(), afterMs: random.int(20, 1500) })
  }
}

function endLater(options: {
  client: Upgrade['client']
  kind: 'none' | 'cut' | '1012'
  behind: Upgrade['client']
  afterMs: number
}): void {
  const { client, kind, behind, afterMs } = options
  if (kind === 'none') return
  const timer = setTimeout(() => {
    behind.unpipe(client)
    if (kind === 'cut') client.destroy()
    // A close frame (RFC 6455, section 5.5.1) with two bytes of code and no reason.
    else client.end(Buffer.from([0x88, 0x02, 1012 >> 8, 1012 & 0xff]))
  }, afterMs)
  client.on('close', () => clearTimeout(timer))
}

function html(status: number, headers: Record<string, string> = {}) {
  return { status, headers: { 'content-type': 'text/html', ...headers }, body: HTML }
}

function json(status: number, body: unknown, headers: Record<string, string> = {}) {
  const text = Buffer.from(JSON.stringify(body))
  return { status, headers: { 'content-type': 'application/json', ...headers }, body: text }
}
