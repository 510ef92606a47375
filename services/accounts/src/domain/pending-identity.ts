import type { Provider, ProviderProfile } from './provider.ts'

export const purposes = ['external_create', 'external_link'] as const
/** Whether a new account is to be made of an identity, or one is linked to it. */
export type Purpose = (typeof purposes)[number]

/** What a flow keeps of an identity until it is confirmed. */
export type PendingIdentity = ProviderProfile & {
  providerId: string
  issuer: string
  subject: string
  redirectPath: string
}

/** A flow and what it leads to; `userId` is who asked for a link, and empty for a new account. */
export type PendingFlow = { purpose: Purpose; userId: string; provider: Provider; identity: PendingIdentity }
