const LOG_STEPS = [[1], [1, 3], [1, 2, 5], [1, 1.5, 2, 3, 4, 5, 6, 7, 8, 9]]
const LOG_TICKS_MIN = 4

/** Ticks of a logarithmic axis: powers of ten, plus round numbers between them if those are few. */
export function logTicks(least, greatest) {
  for (const steps of LOG_STEPS) {
    const ticks = logTicksBy(steps, least, greatest)
    if (ticks.length >= LOG_TICKS_MIN) return ticks
  }
  // The whole axis spans less than a factor of three.
  const step = niceStep((greatest - least) / LOG_TICKS_MIN)
  const first = Math.ceil(least / step)
  return Array.from({ length: Math.max(0, Math.floor(greatest / step) - first + 1) }, (_, place) =>
    Number(((first + place) * step).toPrecision(6)),
  )
}

function logTicksBy(steps, least, greatest) {
  const ticks = []
  for (let power = Math.floor(Math.log10(least)); 10 ** power <= greatest; power += 1) {
    for (const step of steps) {
      const tick = Number((step * 10 ** power).toPrecision(6))
      if (tick >= least && tick <= greatest) ticks.push(tick)
    }
  }
  return ticks
}

function niceStep(atLeast) {
  const power = 10 ** Math.floor(Math.log10(atLeast))
  return power * ([1, 2, 5].find((step) => step * power >= atLeast) ?? 10)
}
