import { usernameCooldown } from '../errors.ts'

const cooldownMs = 30 * 24 * 3600_000

/** Throws `failed_precondition` for 30 days after `cooldownFrom`, when the user last changed their login. */
export function assertNoCooldown({ cooldownFrom }: { cooldownFrom: Date | null }, now: Date): void {
  if (!cooldownFrom) return
  const until = new Date(cooldownFrom.getTime() + cooldownMs)
  if (now < until) throw usernameCooldown(until)
}
