import type { Provider, ProviderProfile } from './provider.ts'

export const purposes = ['external_create', 'external_link'] as const
/** Whether the identity creates a new account or is linked to an existing one. */
export type Purpose = (typeof purposes)[number]

/** An identity stored until it is confirmed. */
export type PendingIdentity = ProviderProfile & {
  providerId: string
  issuer: string
  subject: string
  redirectPath: string
}

/** A flow and its outcome; `userId` is the user who requested a link, and empty for a new account. */
export type PendingFlow = { purpose: Purpose; userId: string; provider: Provider; identity: PendingIdentity }
