/** Seconds since the start of a run as `0:05`, or `1:00:05`. */
export function clock(seconds) {
  const whole = Math.floor(seconds)
  const pad = (number) => String(number).padStart(2, '0')
  const minutes = Math.floor(whole / 60) % 60
  const hours = Math.floor(whole / 3600)
  return hours > 0 ? `${hours}:${pad(minutes)}:${pad(whole % 60)}` : `${minutes}:${pad(whole % 60)}`
}

/** A value with its unit; a dash where there is none. */
export function valueText(value, unit) {
  return value === null || value === undefined ? '–' : `${value} ${unit}`
}

/** The same, short enough for an axis. */
export function tickText(tick, unit) {
  if (tick === null) return ''
  return unit === 'ms' && tick >= 1000 ? `${tick / 1000} s` : `${tick} ${unit}`
}

/** To three significant figures, but never fewer than the whole number has. */
export function figure(value) {
  return value >= 100 ? String(Math.round(value)) : String(Number(value.toPrecision(3)))
}

/** From one value to another, with their unit; a dash where there is neither. */
export function rangeText(from, to, unit) {
  return typeof from === 'number' && typeof to === 'number' ? `${from} to ${to} ${unit}` : '–'
}
