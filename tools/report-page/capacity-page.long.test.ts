import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import type { Run } from '../../contract/run.ts'
import {
  makeSyntheticCapacityRun,
  queueTarget,
  type SyntheticTarget,
  scalingTarget,
} from '../../reports/capacity/synthetic-capacity-run.ts'
import { renderRun } from '../../reports/render-run.ts'
import { temporaryFolder } from '../test/temporary-folder.ts'
import { openPage, pageTest as test } from './open-page.ts'

const SCALING = scalingTarget({ lambda: 60, sigma: 0.04, kappa: 0.002 })
const RATES = [30, 60, 110, 160, 220, 280, 340, 400, 800]
const CHARTS = [
  'throughput-chart',
  'step-latency-chart',
  'scalability-chart',
  'latency-chart',
  'heat-chart',
  'rate-chart',
]

async function open(options: {
  target: SyntheticTarget
  rates?: readonly number[]
  run?: Partial<Run>
  colorScheme?: 'light' | 'dark'
  width?: number
}) {
  const { target, rates = RATES, run = {}, colorScheme = 'light', width = 1280 } = options
  const dir = temporaryFolder()
  await makeSyntheticCapacityRun({ dir, seed: 1, target, trials: rates.map((rate) => ({ rate })), run })
  await renderRun({ dir, formats: ['html'], nowMs: 0 })
  return openPage(join(dir, 'report.html'), { width, colorScheme })
}

test.each([1280, 390])('all charts are drawn in a window of %i px, without errors', async (width) => {
  const { page, browserProblems } = await open({ target: SCALING, width })
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width)
  expect(await drawn(page)).toEqual(CHARTS)
  await page.getByText(`All ${RATES.length} trials`).click()
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width)
  expect(browserProblems).toEqual([])
})

test('without a fit, its chart is omitted, with the reason', async () => {
  const { page, browserProblems } = await open({ target: queueTarget(400), rates: [100, 200] })
  expect(await drawn(page)).toEqual(CHARTS.filter((id) => id !== 'scalability-chart'))
  expect(await page.textContent('main')).toContain(
    'No fit of the Universal Scalability Law: 2 of 2 trials held',
  )
  expect(browserProblems).toEqual([])
})

test('a search without a trial has neither charts nor errors', async () => {
  const { page, browserProblems } = await open({ target: SCALING, rates: [] })
  expect(await drawn(page)).toEqual([])
  expect(browserProblems).toEqual([])
})

test('the charts follow the reader’s color scheme', async () => {
  const readColors = async (colorScheme: 'light' | 'dark') => {
    const { page } = await open({ target: SCALING, colorScheme })
    const dots = await page.evaluate(`(() => {
      const canvas = document.querySelector('#throughput-chart canvas')
      const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height)
      const colors = new Set()
      for (let at = 0; at < data.length; at += 4) if (data[at + 3] === 255) colors.add(data.slice(at, at + 3).join())
      return [...colors]
    })()`)
    return dots as string[] // as: collected above
  }
  // Color of trials that met the objectives: --pass of page.css.
  expect(await readColors('light')).toContain('20,108,46')
  expect(await readColors('dark')).toContain('91,194,124')
})

test('hostile names are shown as text', async () => {
  const name = '</script><script>alert(1)</script><img src=x onerror=alert(2)>'
  const { page, browserProblems } = await open({
    target: SCALING,
    run: {
      mix: name,
      command: `breakwater '${name}'`,
      target: { name, baseUrl: name, wsUrl: name, control: false },
      slo: { name, objectives: [{ routeGroup: '*', quantile: 0.5, latencyMsMax: 1 }] },
    },
  })
  expect(await page.textContent('#capacity')).toContain(name)
  expect(await page.textContent('#slo')).toContain(name)
  expect(browserProblems).toEqual([])
})

/** Ids of the charts with anything on their canvas. */
async function drawn(page: Page): Promise<unknown> {
  return page.evaluate(`[...document.querySelectorAll('.chart')].filter((place) => {
    const canvas = place.querySelector('canvas')
    if (canvas === null) return false
    const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height)
    return data.some((value) => value !== 0)
  }).map(({ id }) => id)`)
}
