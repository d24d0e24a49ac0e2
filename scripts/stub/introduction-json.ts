import type { Stub } from '../../simulator/stub.ts'

/** What `breakwater stub --json` prints, once, when it serves: where everything is, and the credentials for it. */
export function introductionJson(
  { profile, wallets, apiTokens, controlToken }: Stub,
  { profileFile, caFile }: { profileFile: string | undefined; caFile: string | null },
) {
  return {
    name: profile.name,
    baseUrl: profile.baseUrl,
    wsUrl: profile.wsUrl,
    control: profile.control,
    controlToken,
    apiTokens,
    wallets: wallets.map(({ address, admin, hasAccess }) => ({ address, admin, hasAccess })),
    profile: profileFile ?? null,
    ca: caFile,
  }
}
