import type { Target } from '../../../contract/scenario-config.ts'
import { type Reply, type RequestSpec, request } from '../requests/request.ts'

const OF_SIGNATURE = [400, 401, 422]
const RESENDS_MAX = 2

/** True for a rejection after the sign-in of another client with the same wallet, which may have replaced the challenge. */
export function mayBeReplaced({ status }: Pick<Reply, 'status'>): boolean {
  return status === 409 || OF_SIGNATURE.includes(status)
}

/** Sends a rejected signature again: another replica may have its challenge. The watch over replies compares the two. */
export async function verifyAgain(target: Target, spec: RequestSpec): Promise<Reply> {
  let verified = await request(target, spec)
  for (let sent = 0; sent < RESENDS_MAX && OF_SIGNATURE.includes(verified.status); sent++)
    verified = await request(target, spec)
  return verified
}
