/** `name`, or `name{label="value"}` as it stands in the text. */
export type MetricSample = { name: string; value: number }

const LINE = /^([a-zA-Z_:][a-zA-Z0-9_:]*(?:\{.*\})?)\s+(\S+)(?:\s+-?\d+)?$/

/**
 * Samples of the text format of Prometheus: https://prometheus.io/docs/instrumenting/exposition_formats/. What is no
 * sample, or no finite number, is left out.
 */
export function parseMetrics(text: string): MetricSample[] {
  return text.split('\n').flatMap((line) => {
    const [, name, figure] = line.startsWith('#') ? [] : (LINE.exec(line.trim()) ?? [])
    const value = Number(figure)
    return name !== undefined && Number.isFinite(value) ? [{ name, value }] : []
  })
}
