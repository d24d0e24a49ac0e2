/** What all pods of a run have in common: they pass the restricted standard of pod security. */

/** The user of the image, by number, so that the cluster sees that it is not root. */
const USER = 1000

export const POD_SECURITY = {
  runAsNonRoot: true,
  runAsUser: USER,
  runAsGroup: USER,
  fsGroup: USER,
  fsGroupChangePolicy: 'OnRootMismatch',
  seccompProfile: { type: 'RuntimeDefault' },
}

export const CONTAINER_SECURITY = {
  allowPrivilegeEscalation: false,
  capabilities: { drop: ['ALL'] },
  readOnlyRootFilesystem: true,
}

/** Of a volume of a Secret: the pod's group alone reads it. */
export const SECRET_MODE = 0o440

const MIB = 2 ** 20

/** Requested, and no more allowed: what a pod can do does not hang on its neighbours. */
export function resourcesOf({ cpu, memoryBytes }: { cpu: number; memoryBytes: number }) {
  const memory = memoryBytes % MIB === 0 ? `${memoryBytes / MIB}Mi` : String(memoryBytes)
  const amounts = { cpu: Number.isInteger(cpu) ? String(cpu) : `${Math.round(cpu * 1000)}m`, memory }
  return { requests: amounts, limits: amounts }
}

/** How a pod's images are had. */
export function pulling({ imagePullSecret }: { imagePullSecret: string | null }) {
  return imagePullSecret === null ? {} : { imagePullSecrets: [{ name: imagePullSecret }] }
}
