/** How much of it is left, as people say it: `42 s`, `3 min`, `2 h`; never less than nothing. */
export function timeText(seconds: number): string {
  const whole = Math.max(0, Math.round(seconds))
  if (whole < 120) return `${whole} s`
  const minutes = Math.round(whole / 60)
  return minutes < 120 ? `${minutes} min` : `${Math.round(minutes / 60)} h`
}
