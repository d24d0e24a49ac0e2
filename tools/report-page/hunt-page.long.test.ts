import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { CLIENT_RULES } from '../../contract/client-rules.ts'
import type { HuntDocument } from '../../contract/hunt-report.ts'
import { renderHuntHtml } from '../../reports/html/render-hunt.ts'
import { temporaryFolder } from '../test/temporary-folder.ts'
import { measureWidth, openPage, pageTest as test, wrongByAxe } from './open-page.ts'

const RULE = 'client.reconnect.backs-off'
const HOSTILE = `127.0.0.1 ${'long'.repeat(60)} <script>alert(1)</script>`

const HUNT: HuntDocument = {
  version: 1,
  verdict: 'fail',
  exitCode: 1,
  startedAt: '2026-01-05T05:00:00.000Z',
  breakwater: '0.1.0',
  specification: '0.1.0',
  command: "breakwater hunt --client 'npm run my-bot'",
  seed: 7,
  schedules: 12,
  runs: 40,
  situations: 30,
  findings: [
    {
      rule: RULE,
      client: HOSTILE,
      observed: '5 reconnects in a row',
      advice: 'Wait before each reconnect.',
      schedule: 3,
      reproduced: { times: 3, of: 3 },
      faults: ['ws-close on match 1, after 3.2 s'],
      minimum: {},
      file: 'cases/a.json',
      timeline: [
        {
          number: 1,
          atMs: 3200,
          actor: 'stub',
          kind: 'fault',
          text: 'fault ws-close on socket 1: triggered',
        },
        { number: 2, atMs: 3201, actor: 'client', kind: 'opened', text: 'socket 2: opened', rule: RULE },
        {
          number: 3,
          atMs: 3201,
          actor: 'client',
          kind: 'finding',
          text: '5 reconnects in a row',
          rule: RULE,
        },
      ],
    },
  ],
  duties: CLIENT_RULES.map(({ id }, place) => ({
    rule: id,
    verdict: id === RULE ? 'fail' : place % 2 === 0 ? 'pass' : 'skipped',
    exercised: id === RULE || place % 2 === 0 ? 12 : 0,
    violated: id === RULE ? 5 : 0,
  })),
  cases: [{ file: 'cases/b.json', rule: 'client.429.waits', observed: HOSTILE, reproduces: true }],
}

async function open(width: number, colorScheme: 'light' | 'dark' = 'light', hunt = HUNT) {
  const file = join(temporaryFolder(), 'hunt.html')
  writeFileSync(file, renderHuntHtml(hunt))
  return openPage(file, { width, colorScheme })
}

test.each([1280, 400])('fits a window of %d px, without errors', async (width) => {
  const { page, browserProblems } = await open(width)
  await page.locator('summary').click()
  expect(await measureWidth(page)).toBeLessThanOrEqual(width)
  expect(await page.locator('#finding-1').innerText()).toContain(`${RULE} ${HOSTILE}`)
  expect(await page.locator('.story tbody tr').count()).toBe(3)
  expect(await page.locator('.story tr:has(code)').allInnerTexts()).toHaveLength(2)
  expect(browserProblems).toEqual([])
})

test('lists all client rules, worst first, and says which were not exercised', async () => {
  const { page } = await open(1280)
  const rows = await page.locator('section[aria-labelledby=duties] tbody tr').allInnerTexts()
  expect(rows).toHaveLength(CLIENT_RULES.length)
  expect(rows[0]).toContain(RULE)
  expect(rows[0]).toContain('5 of 12')
  expect(rows.at(-1)).toContain('not exercised')
})

test.each(['light', 'dark'] as const)('is accessible, %s', async (scheme) => {
  const { page } = await open(1280, scheme)
  await page.locator('summary').click()
  expect(await wrongByAxe(page)).toEqual([])
})

test('says that nothing found is no proof', async () => {
  const { page } = await open(1280, 'light', { ...HUNT, verdict: 'inconclusive', findings: [], cases: [] })
  expect(await page.locator('#main').innerText()).toContain(
    'No schedule made the client violate a rule. This shows nothing about rules that were not exercised.',
  )
})
