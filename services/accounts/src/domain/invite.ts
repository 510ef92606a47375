import { invalidInvite } from '../errors.ts'

const dayMs = 24 * 3600_000
const usualMs = 7 * dayMs
const longestMs = 90 * dayMs
const mostUses = 1_000

export type WantedInvite = { label: string; email: string; maxUses: number; expiresAt: Date | undefined }

/** Validates the properties of an invite and fills in defaults. Throws `invalid_argument`. */
export function inviteFrom(wanted: WantedInvite, now: Date): WantedInvite & { expiresAt: Date } {
  const expiresAt = wanted.expiresAt ?? new Date(now.getTime() + usualMs)
  const afterMs = expiresAt.getTime() - now.getTime()
  if (!(afterMs > 0 && afterMs <= longestMs)) throw invalidInvite('it must end within 90 days')
  const maxUses = wanted.maxUses || 1
  if (maxUses > mostUses) throw invalidInvite(`at most ${mostUses} accounts may come by it`)
  if (wanted.email !== '' && maxUses !== 1) throw invalidInvite('with an address it is good for one account')
  return { ...wanted, maxUses, expiresAt, label: wanted.label.trim() }
}
