import type { Provider, ProviderProfile } from './provider.ts'

export const purposes = ['external_create', 'external_link'] as const
export type Purpose = (typeof purposes)[number]

/** Not confirmed yet; invalid values of the profile were replaced with empty ones. */
export type PendingIdentity = ProviderProfile & {
  providerId: string
  issuer: string
  subject: string
  redirectPath: string
}

/** `userId` is the user who links the identity; empty for a new account. */
export type PendingFlow = { purpose: Purpose; userId: string; provider: Provider; identity: PendingIdentity }
