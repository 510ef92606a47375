import type { Context } from '../../context.ts'
import { logExtensionFailure } from '../../metrics.ts'
import { storeNewExpiry, type ValidCredential } from '../../store/credentials.ts'

const extendAfterMs = 24 * 3600_000

export async function extendCredentials(
  { config, db }: Pick<Context, 'config' | 'db'>,
  used: readonly Pick<ValidCredential, 'credentialId' | 'expiresAt'>[],
  now: Date,
): Promise<void> {
  const expiresAt = new Date(now.getTime() + config.tokenTtlMs)
  const due = used.filter((credential) => expiresAt.getTime() - credential.expiresAt.getTime() > extendAfterMs)
  if (due.length === 0) return
  const ids = due.map(({ credentialId }) => credentialId)
  // The credentials are valid even if the extension cannot be stored; their next use tries again.
  await storeNewExpiry(db, ids, expiresAt).catch(logExtensionFailure)
}
