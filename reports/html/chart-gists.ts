import type { LatencyMs } from '../../contract/report.ts'
import { figure, latencyText, percent } from '../objective-text.ts'
import type { Histogram } from '../statistics/histogram.ts'
import { supportedQuantile } from '../statistics/quantiles.ts'
import type { GroupCharts } from './chart-data.ts'
import type { ChartLine } from './chart-lines.ts'

/** One sentence per chart that names the main thing to notice, also for screen readers. */
export function chartGists(
  { latency, rates, seconds }: GroupCharts,
  total: Histogram,
): Record<'latency' | 'heat' | 'rate', string> {
  const percentile = ['p95', 'p50'].find((name) => latency.lines.some((line) => line.name === name))
  const courses = latency.lines
    .filter(({ name }) => name === percentile || name === 'max')
    .flatMap(({ name, values }) => courseText(name, values, seconds))
  const infinite = total.infinite > 0 ? ' Dropped iterations count as requests that never ended.' : ''
  return {
    latency: `${courses.length === 0 ? 'Too few requests to draw latency.' : sentence(courses)}${infinite}`,
    heat: heatGist(total),
    rate: sentence(rates.flatMap(({ label, values }) => rateText(label, values, seconds))),
  }
}

/** The range of each line, and when it is highest. `seconds` are those of its points since the start of the run. */
export function courseGist(lines: readonly ChartLine[], seconds: readonly number[], unit: string): string {
  const texts = lines.flatMap(({ label, values }) => {
    const range = findRange(values)
    if (range === undefined) return []
    const { least, greatest, place } = range
    if (least === greatest) return [`${label}: ${figure(least)} ${unit} throughout`]
    const at = clockText(seconds[place] ?? 0)
    return [`${label}: ${figure(least)} to ${figure(greatest)} ${unit}, highest at ${at}`]
  })
  return sentence(texts)
}

function courseText(name: string, values: readonly (number | null)[], seconds: readonly number[]): string[] {
  const range = findRange(values)
  if (range === undefined) return []
  const { least, greatest, place } = range
  const at = clockText(seconds[place] ?? 0)
  if (name === 'max') return [`the slowest request took ${latencyText(greatest)}, at ${at}`]
  return [
    least === greatest
      ? `${name} stayed at ${latencyText(least)}`
      : `${name} peaked at ${latencyText(greatest)} at ${at} (minimum ${latencyText(least)})`,
  ]
}

function rateText(label: string, values: readonly (number | null)[], seconds: readonly number[]): string[] {
  const range = findRange(values)
  if (range === undefined) return []
  const { least, greatest, place } = range
  if (greatest === 0) return [`none ${label}`]
  if (least === greatest) return [`${figure(greatest)} ${label} per second throughout`]
  const at = clockText(seconds[place] ?? 0)
  return label === 'requests'
    ? [`${figure(least)} to ${figure(greatest)} requests per second, highest at ${at}`]
    : [`up to ${figure(greatest)} ${label} per second, highest at ${at}`]
}

function findRange(values: readonly (number | null)[]) {
  let least = Number.POSITIVE_INFINITY
  let greatest = Number.NEGATIVE_INFINITY
  let place = -1
  for (const [index, value] of values.entries()) {
    if (value === null) continue
    least = Math.min(least, value)
    if (value <= greatest) continue
    greatest = value
    place = index
  }
  return place === -1 ? undefined : { least, greatest, place }
}

const SPANS = [
  { low: 0.25, high: 0.75, name: 'half of all requests' },
  { low: 0.05, high: 0.95, name: '90 %' },
]

function heatGist(total: Histogram): string {
  const spans = SPANS.flatMap(({ low, high, name }) => {
    const from = supportedQuantile(total, low)
    const to = supportedQuantile(total, high)
    return from === null || to === null ? [] : [`${name} took ${betweenText(from, to)}`]
  })
  const withoutResponse = total.zero > 0 ? [`${percent(total.zero / total.count)} got no response`] : []
  const all = [...spans, ...withoutResponse]
  return all.length === 0 ? `Too few requests (${total.count}) to show a distribution.` : sentence(all)
}

function betweenText(from: LatencyMs, to: LatencyMs): string {
  if (from === to) return latencyText(from)
  return typeof from === 'number' && to !== 'infinite'
    ? `${figure(from)} to ${latencyText(to)}`
    : `${latencyText(from)} or more`
}

function sentence(parts: readonly string[]): string {
  const text = parts.join('; ')
  if (text === '') return ''
  // Keep the lowercase letter of p50.
  return /^p\d/.test(text) ? `${text}.` : `${text.charAt(0).toUpperCase()}${text.slice(1)}.`
}

export function clockText(seconds: number): string {
  const whole = Math.floor(seconds)
  const pad = (number: number) => String(number).padStart(2, '0')
  const minutes = Math.floor(whole / 60) % 60
  const hours = Math.floor(whole / 3600)
  return hours > 0 ? `${hours}:${pad(minutes)}:${pad(whole % 60)}` : `${minutes}:${pad(whole % 60)}`
}
