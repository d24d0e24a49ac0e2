/** Seconds since the start of a run as `0:05`, or `1:00:05`. */
export function clockText(seconds: number): string {
  const whole = Math.floor(seconds)
  const pad = (number: number) => String(number).padStart(2, '0')
  const minutes = Math.floor(whole / 60) % 60
  const hours = Math.floor(whole / 3600)
  return hours > 0 ? `${hours}:${pad(minutes)}:${pad(whole % 60)}` : `${minutes}:${pad(whole % 60)}`
}
