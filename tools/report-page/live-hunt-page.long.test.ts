// The live view of a hunt in a real browser, while the search goes on.
import { expect, onTestFinished } from 'vitest'
import type { RunSchedule } from '../../hunt/schedule.ts'
import { huntWorldSchema } from '../../hunt/schedule.ts'
import { searchSchedules } from '../../hunt/search.ts'
import { huntStyles } from '../../reports/html/render-hunt.ts'
import { buildHuntReport, followHunt } from '../../scripts/hunt/follow-hunt.ts'
import { openLiveView } from '../../scripts/live/live-view.ts'
import { measureWidth, openPage, pageTest as test, wrongByAxe } from './open-page.ts'

const RULE = 'client.429.waits'
const HOSTILE = `repeated ${'long'.repeat(60)} <script>alert(1)</script>`
const WORLD = huntWorldSchema.parse({ durationMs: 1000 })
const GIVEN = { startedAt: new Date(0), command: "breakwater hunt --client 'node bot.mjs'" }

/** Exercises one rule, and violates it from the second schedule on. */
const runClient = (isViolated: boolean): ReturnType<RunSchedule> =>
  Promise.resolve({
    taken: [],
    violations: isViolated
      ? [{ rule: RULE, client: 'wallet 2', shape: 'again', observed: HOSTILE, advice: 'Wait.', evidence: [] }]
      : [],
    duties: [],
    exercised: [RULE],
    situations: [],
    routes: ['GET /swaps'],
    rooms: [],
    entries: [{ number: 1, atMs: 0, kind: 'socket', socket: 1, event: 'opened' }],
    clientEnd: null,
  })

/** Searches up to a number of schedules at a time. */
async function serveHunt() {
  const follower = followHunt(GIVEN)
  const view = await openLiveView({ styles: huntStyles() })
  let ended: Promise<void> | undefined
  const end = () => {
    ended ??= view.end()
    return ended
  }
  onTestFinished(end)
  view.show(follower.look)
  const search = (schedulesMax: number) => {
    let runs = 0
    return searchSchedules({
      run: () => runClient(runs++ > 0),
      worlds: [WORLD],
      seed: 7,
      schedulesMax,
      isExact: true,
      onProgress: (progress) => follower.add(progress, 60_000),
    })
  }
  const finish = async () => {
    follower.end(buildHuntReport(await search(4), { ...GIVEN, files: ['cases/a.json'] }))
    await end()
  }
  return { url: view.url, search, finish }
}

test.each([
  { colorScheme: 'light', width: 1280 },
  { colorScheme: 'dark', width: 390 },
] as const)(
  'rules and findings appear during the hunt, $colorScheme and $width wide',
  async ({ colorScheme, width }) => {
    const { url, search, finish } = await serveHunt()
    const { page, browserProblems } = await openPage(url, { colorScheme, width })
    const rows = page.locator('section[aria-labelledby=duties] tbody tr')

    await search(1)
    await page.getByText('1 schedules/min, 1 runs/min').waitFor()
    expect(await page.locator('h1').innerText()).toBe('Running')
    expect(await rows.first().innerText()).toContain(RULE)
    expect(await rows.first().innerText()).toContain('1 of 1')
    expect(await page.locator('section.finding').count()).toBe(0)

    await search(2)
    await page.locator('#finding-1').waitFor()
    expect(await page.locator('section.finding').innerText()).toContain(HOSTILE)
    expect(await rows.first().innerText()).toContain('1 of 2')
    await page.locator('section.finding summary').click()
    expect(await measureWidth(page)).toBeLessThanOrEqual(width)
    expect(await wrongByAxe(page)).toEqual([])

    await finish()
    await page.getByText('The hunt has ended: fail. This page no longer changes.').waitFor()
    expect(await page.locator('h1').innerText()).toBe('✗ fail')
    expect(await page.locator('section.finding').innerText()).toContain('Its case is cases/a.json.')
    expect(await page.locator('section.finding details').getAttribute('open')).toBe('')
    expect(await page.title()).toBe('fail: breakwater hunt')
    expect(browserProblems).toEqual([])
  },
)
