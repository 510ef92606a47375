import { invalidInvite } from '../errors.ts'

const dayMs = 24 * 3600_000
const defaultMs = 7 * dayMs
const longestMs = 90 * dayMs
const usesLimit = 1_000

export type WantedInvite = { label: string; email: string; maxUses: number; expiresAt: Date | undefined }

/** Validates the properties of an invite and fills in defaults. Throws `invalid_argument`. */
export function inviteFrom(wanted: WantedInvite, now: Date): WantedInvite & { expiresAt: Date } {
  const expiresAt = wanted.expiresAt ?? new Date(now.getTime() + defaultMs)
  const afterMs = expiresAt.getTime() - now.getTime()
  if (!(afterMs > 0 && afterMs <= longestMs)) throw invalidInvite('it must expire within 90 days')
  const maxUses = wanted.maxUses || 1
  if (maxUses > usesLimit) throw invalidInvite(`it may create at most ${usesLimit} accounts`)
  if (wanted.email !== '' && maxUses !== 1)
    throw invalidInvite('an invite for an e-mail address may create only one account')
  return { ...wanted, maxUses, expiresAt, label: wanted.label.trim() }
}
