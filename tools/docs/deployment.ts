/** The deployment that pages name `exchange.example`: a stub at an address that does not look like this machine. */
import type { Profile } from '../../contract/profile.ts'

/** 127.0.0.1 by way of IPv6: whatever is not on this machine needs permission, so this does. */
export const DEPLOYMENT_HOST = '[::ffff:7f00:1]'

type Addresses = { profile: Pick<Profile, 'baseUrl' | 'wsUrl'> }

/** What a profile of the deployment has in place of the stub's own addresses. */
export function deploymentOf({ profile }: Addresses): Pick<Profile, 'baseUrl' | 'wsUrl'> {
  const moved = (url: string) => url.replace('127.0.0.1', DEPLOYMENT_HOST)
  return { baseUrl: moved(profile.baseUrl), wsUrl: moved(profile.wsUrl) }
}

/** A file that a page has its reader save, with the addresses of the deployment in it. */
export function onDeployment(text: string, stub: Addresses): string {
  const { baseUrl, wsUrl } = deploymentOf(stub)
  return text
    .replaceAll('https://exchange.example/api', baseUrl)
    .replaceAll('wss://exchange.example/feed', wsUrl)
}
