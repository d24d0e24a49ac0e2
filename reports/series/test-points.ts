import { type SeriesPoint, SINCE_DUE } from '../../contract/series.ts'
import { bucketSamples } from '../synthetic-run.ts'

type Some = Partial<SeriesPoint> & Pick<SeriesPoint, 'metric'>

/** For tests: samples of a trend in one second. */
export function trendPoint(samples: readonly number[], point: Some): SeriesPoint {
  return {
    time: 1,
    type: 'trend',
    contains: 'time',
    tags: {},
    count: samples.length,
    sum: samples.reduce((sum, sample) => sum + sample, 0),
    min: Math.min(...samples),
    max: Math.max(...samples),
    zero: samples.filter((sample) => sample === 0).length,
    buckets: bucketSamples(samples.filter((sample) => sample > 0)),
    ...point,
  }
}

/** For tests: `count` requests of `ms` each in one second. */
export function requests(count: number, ms: number, point: Partial<SeriesPoint> = {}): SeriesPoint {
  return trendPoint(Array<number>(count).fill(ms), {
    metric: SINCE_DUE,
    tags: { route_group: 'pools', name: 'GET /pools', status: '200' },
    ...point,
  })
}

/** For tests: the value of a counter or a rate in one second. */
export function sumPoint(sum: number, point: Some): SeriesPoint {
  return { time: 1, type: 'counter', contains: 'default', tags: {}, count: 1, sum, ...point }
}
