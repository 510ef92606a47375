import type { Context } from '../../context.ts'
import { prolongingFailed } from '../../metrics.ts'
import { prolongCredentials, type ValidCredential } from '../../store/credentials.ts'

const prolongAfterMs = 24 * 3600_000

/** Extends the lifetime of credentials that were used, at most once a day each. */
export async function prolong(
  { config, db }: Pick<Context, 'config' | 'db'>,
  used: readonly Pick<ValidCredential, 'credentialId' | 'expiresAt'>[],
  now: Date,
): Promise<void> {
  const expiresAt = new Date(now.getTime() + config.tokenTtlMs)
  const due = used.filter((credential) => expiresAt.getTime() - credential.expiresAt.getTime() > prolongAfterMs)
  if (due.length === 0) return
  const ids = due.map(({ credentialId }) => credentialId)
  // They are valid even if the extension cannot be stored; their next use tries again.
  await prolongCredentials(db, ids, expiresAt).catch(prolongingFailed)
}
