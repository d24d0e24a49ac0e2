/** With fewer requests than this there is none to spare: probes count them together. */
const TO_SPARE = 5000

/**
 * How a run's requests are shared out. VUs do not know of each other, so each has a share, and all shares together are
 * what the run may send: a half for the probes, a half for the load where there is one.
 */
export function shareRequests(options: {
  /** Null: as many as it takes. */
  requestsMax: number | null
  /** The most lanes of probes, each a VU where they need not take turns. */
  lanesMax: number
  loadVus: number
  /** Whether probes take turns for another reason. */
  takeTurns: boolean
}): { oneVu: boolean; ofLane: number | null; ofLoadVu: number | null } {
  const { requestsMax, lanesMax, loadVus, takeTurns } = options
  if (requestsMax === null) return { oneVu: takeTurns, ofLane: null, ofLoadVu: null }
  const probes = loadVus === 0 ? requestsMax : Math.floor(requestsMax / 2)
  const oneVu = takeTurns || probes < TO_SPARE
  return {
    oneVu,
    ofLane: oneVu ? probes : Math.floor(probes / lanesMax),
    ofLoadVu: loadVus === 0 ? 0 : Math.floor((requestsMax - probes) / loadVus),
  }
}
