import type { GetServerResponse } from '@parley/contracts/discovery'

/** The response of GetServer with older field names. */
export type ServerInfo = {
  name: string
  version: string
  /** `password` if accounts can be created with an e-mail address, then the types of providers. */
  authMethods: string[]
  authProviders: { id: string; type: string; label: string; loginUrl: string }[]
  registrationOpen: boolean
  authorizeUrl: string
  welcomeMessage?: string
  description?: string
  iconUrl?: string
  bannerUrl?: string
}

export function serverInfoOf({ profile, login }: GetServerResponse): ServerInfo {
  const providers = login?.providers ?? []
  const registrationOpen = login?.directRegistrationEnabled ?? false
  const optional = {
    welcomeMessage: profile?.welcomeMessage,
    description: profile?.description,
    iconUrl: profile?.logoUrl,
    bannerUrl: profile?.bannerUrl,
  }
  return {
    name: profile?.name ?? '',
    version: profile?.version ?? '',
    authMethods: [...(registrationOpen ? ['password'] : []), ...new Set(providers.map(({ type }) => type))],
    authProviders: providers.map(({ id, type, label, loginUrl }) => ({ id, type, label, loginUrl })),
    registrationOpen,
    authorizeUrl: login?.authorizeUrl ?? '',
    ...Object.fromEntries(Object.entries(optional).filter(([, value]) => value)),
  }
}
