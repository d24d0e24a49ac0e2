/** Seconds since the start of a run as `0:05` or `1:00:05`. */
export function clock(seconds) {
  const whole = Math.floor(seconds)
  const pad = (number) => String(number).padStart(2, '0')
  const minutes = Math.floor(whole / 60) % 60
  const hours = Math.floor(whole / 3600)
  return hours > 0 ? `${hours}:${pad(minutes)}:${pad(whole % 60)}` : `${minutes}:${pad(whole % 60)}`
}

export function valueText(value, unit) {
  return value === null || value === undefined ? '–' : `${value} ${unit}`
}

export function tickText(tick, unit) {
  if (tick === null) return ''
  return unit === 'ms' && tick >= 1000 ? `${tick / 1000} s` : `${tick} ${unit}`
}

/** Three significant digits, or all digits of the integer part if it has more. */
export function figure(value) {
  return value >= 100 ? String(Math.round(value)) : String(Number(value.toPrecision(3)))
}

export function rangeText(from, to, unit) {
  return typeof from === 'number' && typeof to === 'number' ? `${from} to ${to} ${unit}` : '–'
}
