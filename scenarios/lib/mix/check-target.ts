import exec from 'k6/execution'
import { EVERYBODYS_READ, TARGET_CHECK, whyNoExchange } from '../../../contract/response-bounds.ts'
import type { Target } from '../../../contract/scenario-config.ts'
import { openWebSocket } from '../feed/open-web-socket.ts'
import { sendAlone } from '../requests/request.ts'
import { after } from '../time/pause.ts'

const FEED_MS = 10_000

/**
 * Repeats the command's target check on the generator: the target responds, is an exchange, and has a feed if
 * clients need one. Aborts the test with TARGET_CHECK if not.
 */
export async function checkTarget(target: Target, { needsFeed }: { needsFeed: boolean }): Promise<void> {
  const problem = restProblem(target) ?? (needsFeed ? await feedProblem(target) : undefined)
  if (problem !== undefined) exec.test.abort(TARGET_CHECK.says + problem)
}

function restProblem(target: Target): string | undefined {
  const { baseUrl } = target.profile
  const health = sendAlone(target, { method: 'GET', path: '/health', unread: true })
  if (health.status === 0) return `${baseUrl}: ${health.evidence().trim()}`
  const { status, text } = sendAlone(target, { method: 'GET', path: EVERYBODYS_READ })
  const why = status === 0 ? undefined : whyNoExchange({ status, body: text })
  return why === undefined ? undefined : `${baseUrl}: GET ${EVERYBODYS_READ}: ${why}: that is no exchange`
}

/** Any HTTP response passes: the load judges who may open a socket. */
async function feedProblem(target: Target): Promise<string | undefined> {
  const { socket } = openWebSocket(target)
  const said = await new Promise<string>((resolve) => {
    const timer = after(FEED_MS, () => resolve(`no response in ${FEED_MS / 1000} s`))
    const end = (response: string) => {
      timer.cancel()
      resolve(response)
    }
    socket.onopen = () => {
      socket.close(1000)
      end(BAD_HANDSHAKE)
    }
    socket.onerror = (event) => end(String(event?.error ?? ''))
  })
  return said.includes(BAD_HANDSHAKE) ? undefined : `${socket.url}: ${said}`
}

/** k6's error for a handshake that got an HTTP response. */
const BAD_HANDSHAKE = 'bad handshake'
