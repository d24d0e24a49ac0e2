/** How the values of options are read: a number, or commander's error with what was expected. */
import { isIP } from 'node:net'
import { InvalidArgumentError } from 'commander'
import { durationMs } from '../k6/duration-ms.ts'

/** Reads a whole number from min to max. `what` names it in the error, and `minShown` the least one. */
export function wholeNumber(
  max: number,
  {
    what = 'a whole number',
    min = 0,
    minShown = String(min),
  }: { what?: string; min?: number; minShown?: string } = {},
): (text: string) => number {
  return (text) => {
    const number = /^[0-9]{1,16}$/.test(text) ? Number(text) : Number.NaN
    if (!(number >= min && number <= max))
      throw new InvalidArgumentError(`Expected ${what} from ${minShown} to ${max}.`)
    return number
  }
}

/** Reads a decimal number from min to max, of at most six places. */
export function decimal(what: string, { min, max }: { min: number; max: number }): (text: string) => number {
  return (text) => {
    const number = /^[0-9]{1,9}(\.[0-9]{1,6})?$/.test(text) ? Number(text) : Number.NaN
    if (!(number >= min && number <= max))
      throw new InvalidArgumentError(`Expected ${what} from ${min} to ${max}.`)
    return number
  }
}

/** Reads a duration such as 800ms or 1m30s, as milliseconds. */
export function duration({ minMs, maxMs }: { minMs: number; maxMs: number }): (text: string) => number {
  return (text) => {
    const ms = /^([0-9]{1,6}(ms|s|m|h))+$/.test(text) ? durationMs(text) : Number.NaN
    if (ms >= minMs && ms <= maxMs) return ms
    const [least, most] = [minMs, maxMs].map((bound) =>
      bound % 1000 === 0 ? `${bound / 1000}s` : `${bound}ms`,
    )
    const example = DURATIONS_SHOWN.find((shown) => durationMs(shown) >= minMs && durationMs(shown) <= maxMs)
    throw new InvalidArgumentError(`Expected a duration from ${least} to ${most}, such as ${example}.`)
  }
}

/** For messages: the first that fits is shown. */
const DURATIONS_SHOWN = ['800ms', '1m30s']

/** A text that is not empty: a shell variable that was never set is no name. */
export function notEmpty(text: string): string {
  if (text.trim() === '') throw new InvalidArgumentError('Expected a text that is not empty.')
  return text
}

/** A percentage, with or without its sign, as a share from 0 to 1. */
export function percent(text: string): number {
  const [, number] = /^([0-9]{1,3}(?:\.[0-9]{1,6})?)%?$/.exec(text) ?? []
  if (number === undefined || Number(number) > 100)
    throw new InvalidArgumentError('Expected a percentage from 0 to 100, such as 95%.')
  return Number(number) / 100
}

/** Iterations a second. */
export const rate = decimal('a rate', { min: 0.01, max: 1_000_000 })

/** Decides everything that is drawn. */
export const seed = wholeNumber(2 ** 32 - 1)

/** An address of this machine to listen at: IPv4 or IPv6, no name. */
export function address(text: string): string {
  if (isIP(text) === 0)
    throw new InvalidArgumentError('Expected an IP address, such as 127.0.0.1 or 0.0.0.0.')
  return text
}
