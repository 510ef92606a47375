import { invalidInvite } from '../errors.ts'

const dayMs = 24 * 3600_000
const defaultLifetimeMs = 7 * dayMs
const maxLifetimeMs = 90 * dayMs
const maxAccounts = 1_000

/** `email`: empty for anybody; `maxUses`: number of accounts, 0 for one; `expiresAt`: undefined for the default. */
export type WantedInvite = { label: string; email: string; maxUses: number; expiresAt: Date | undefined }

/** Fills in defaults and trims the label. Throws `invalid_argument`. */
export function inviteFrom(wanted: WantedInvite, now: Date): WantedInvite & { expiresAt: Date } {
  const expiresAt = wanted.expiresAt ?? new Date(now.getTime() + defaultLifetimeMs)
  const lifetimeMs = expiresAt.getTime() - now.getTime()
  if (!(lifetimeMs > 0 && lifetimeMs <= maxLifetimeMs))
    throw invalidInvite('it must expire in the future, within 90 days')
  const maxUses = wanted.maxUses || 1
  if (maxUses > maxAccounts) throw invalidInvite(`it may create at most ${maxAccounts} accounts`)
  if (wanted.email !== '' && maxUses !== 1)
    throw invalidInvite('an invite for an e-mail address may create only one account')
  return { ...wanted, maxUses, expiresAt, label: wanted.label.trim() }
}
