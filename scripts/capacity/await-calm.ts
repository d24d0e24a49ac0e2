import { once } from 'node:events'
import { get as httpGet } from 'node:http'
import { get as httpsGet } from 'node:https'
import { setTimeout as wait } from 'node:timers/promises'
import { rootCertificates } from 'node:tls'
import type { Profile } from '../../contract/profile.ts'

/** What is read to see how fast the target answers: a public read. */
const PATH = '/tokens'
const TIMEOUT_MS = 5000
const PAUSE_MS = 200
const CALM_FACTOR = 2
const CALM_BESIDE_MS = 20
const CALM_ANSWERS = 2

/** Whether a target has got over a load: whether it answers about as fast as it did before any. */
export type Calm = {
  /** Requests that were sent for it. */
  requests(): number
  /** Waits for it, for so long at the most, or up to the signal. Never an error: a target in trouble is for trials to judge. */
  wait(options: { secondsMax: number; signal: AbortSignal }): Promise<void>
}

/** Looks how fast the target answers at first. */
export async function learnCalm(options: { profile: Profile; ca: string | null }): Promise<Calm> {
  let requests = 0
  const ask = () => {
    requests++
    return answerMs(options)
  }
  const first = [await ask(), await ask(), await ask()].sort((a, b) => a - b)[1] ?? 0
  const calmMs = Math.max(CALM_FACTOR * first, first + CALM_BESIDE_MS)
  return {
    requests: () => requests,
    async wait({ secondsMax, signal }) {
      const endMs = performance.now() + secondsMax * 1000
      for (let calm = 0; calm < CALM_ANSWERS && performance.now() < endMs && !signal.aborted; ) {
        calm = (await ask()) <= calmMs ? calm + 1 : 0
        if (calm === 0) await wait(PAUSE_MS, undefined, { signal }).catch(() => {})
      }
    },
  }
}

/** However it answers; where it does not, as long as one waits for it. */
async function answerMs({ profile, ca }: { profile: Profile; ca: string | null }): Promise<number> {
  const { baseUrl, headers, origin } = profile
  const url = new URL(`${baseUrl.replace(/\/$/, '')}${PATH}`)
  const startMs = performance.now()
  const request = (url.protocol === 'https:' ? httpsGet : httpGet)(url, {
    headers: { ...headers, ...(origin === null ? {} : { Origin: origin }) },
    ...(ca === null ? {} : { ca: [...rootCertificates, ca] }),
    agent: false,
    signal: AbortSignal.timeout(TIMEOUT_MS),
  })
  try {
    const [response] = await once(request, 'response')
    response.resume()
    await once(response, 'end')
    return performance.now() - startMs
  } catch {
    return TIMEOUT_MS
  } finally {
    request.on('error', () => {}).destroy()
  }
}
