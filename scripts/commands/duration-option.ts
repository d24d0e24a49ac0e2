import { InvalidArgumentError, Option } from 'commander'
import { durationMs } from '../k6/k6-args.ts'

/** All texts are durations as a user types them: `30s`. */
type DurationOptions = {
  min: string
  max: string
  /** Unit of the result, which is a whole number; default: seconds. */
  unit?: 's' | 'ms'
} & ({ default: string } | { example: string })

/** Returns an option such as `--duration <duration>`, for 800ms, 60s or 1m30s. */
export function durationOption(name: string, description: string, options: DurationOptions): Option {
  const parse = durationParser(options)
  const option = new Option(`${name} <duration>`, description).argParser(parse)
  return 'default' in options ? option.default(parse(options.default), options.default) : option
}

function durationParser(options: DurationOptions): (text: string) => number {
  const { min, max, unit = 's' } = options
  const unitMs = unit === 's' ? 1000 : 1
  const example = 'default' in options ? options.default : options.example
  return (text) => {
    const ms = DURATION.test(text) ? durationMs(text) : Number.NaN
    if (ms >= durationMs(min) && ms <= durationMs(max) && ms % unitMs === 0) return ms / unitMs
    const problem = /^[0-9.]+$/.test(text) ? 'Add a unit. ' : ''
    const whole = unit === 's' ? ' in whole seconds' : ''
    throw new InvalidArgumentError(
      `${problem}Expected a duration from ${min} to ${max}${whole}, such as ${example}.`,
    )
  }
}

const DURATION = /^([0-9]{1,9}(ms|s|m|h|d))+$/
