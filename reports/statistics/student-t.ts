/** How likely a value further from zero than `t`, on either side, is by Student's t distribution. */
export function twoSidedP(t: number, degreesOfFreedom: number): number {
  if (Number.isNaN(t)) return 1
  if (!Number.isFinite(t)) return 0
  const x = degreesOfFreedom / (degreesOfFreedom + t * t)
  return incompleteBeta(x, degreesOfFreedom / 2, 0.5)
}

/** The value that is exceeded, on either side together, with probability `p`: 1.96 of many degrees of freedom for 0.05. */
export function criticalT(p: number, degreesOfFreedom: number): number {
  let low = 0
  let high = 1
  while (twoSidedP(high, degreesOfFreedom) > p) high *= 2
  for (let step = 0; step < BISECTIONS; step += 1) {
    const middle = (low + high) / 2
    if (twoSidedP(middle, degreesOfFreedom) > p) low = middle
    else high = middle
  }
  return high
}

const BISECTIONS = 60

/** The regularised incomplete beta function, by its continued fraction (DLMF 8.17.22, evaluated by Lentz's method). */
function incompleteBeta(x: number, a: number, b: number): number {
  if (x <= 0) return 0
  if (x >= 1) return 1
  // The fraction converges fast only on this side of the mean; the other follows by symmetry.
  if (x > (a + 1) / (a + b + 2)) return 1 - incompleteBeta(1 - x, b, a)
  const front =
    Math.exp(logGamma(a + b) - logGamma(a) - logGamma(b) + a * Math.log(x) + b * Math.log1p(-x)) / a
  return front * betaFraction(x, a, b)
}

const TERMS_MAX = 500
const PRECISION = 1e-14
const TINY = 1e-300

function betaFraction(x: number, a: number, b: number): number {
  let c = 1
  let d = 1 / nonZero(1 - ((a + b) * x) / (a + 1))
  let fraction = d
  for (let m = 1; m <= TERMS_MAX; m += 1) {
    const even = (m * (b - m) * x) / ((a + 2 * m - 1) * (a + 2 * m))
    const odd = (-(a + m) * (a + b + m) * x) / ((a + 2 * m) * (a + 2 * m + 1))
    let factor = 1
    for (const term of [even, odd]) {
      d = 1 / nonZero(1 + term * d)
      c = nonZero(1 + term / c)
      factor = c * d
      fraction *= factor
    }
    if (Math.abs(factor - 1) < PRECISION) break
  }
  return fraction
}

function nonZero(value: number): number {
  return Math.abs(value) < TINY ? TINY : value
}

/** By Stirling's series, good to 1e-13 from 10 on; smaller arguments are raised first: Γ(x) = Γ(x + 1) / x. */
function logGamma(x: number): number {
  let raised = x
  let product = 1
  while (raised < 10) {
    product *= raised
    raised += 1
  }
  const r = 1 / (raised * raised)
  const series = (1 / 12 - r * (1 / 360 - r * (1 / 1260 - r * (1 / 1680 - r / 1188)))) / raised
  return (raised - 0.5) * Math.log(raised) - raised + 0.5 * Math.log(2 * Math.PI) + series - Math.log(product)
}
