import type { Caller } from '@parley/contracts/internal'
import type { Context } from '../context.ts'
import { graceFrom } from '../domain/session-rotation.ts'
import { tooMany } from '../errors.ts'
import { prolongingFailed } from '../metrics.ts'
import { findValidCredentials, prolongCredentials } from '../store/credentials.ts'
import { toCaller } from '../view/caller.ts'

const maxDigests = 1_000
/** Credentials in use are prolonged at most once a day each. */
const prolongAfterMs = 24 * 3600_000

/** Who the digests stand for; those that stand for nobody are left out. Using a credential prolongs it. */
export async function lookUp(ctx: Context, digests: Uint8Array[]): Promise<{ digest: Buffer; caller: Caller }[]> {
  if (digests.length > maxDigests) throw tooMany('digests', maxDigests)
  const now = ctx.now()
  const found = await findValidCredentials(
    ctx.db,
    digests.map((digest) => Buffer.from(digest)),
    now,
    graceFrom(now),
  )
  const expiresAt = new Date(now.getTime() + ctx.config.tokenTtlMs)
  const due = found.filter((credential) => expiresAt.getTime() - credential.expiresAt.getTime() > prolongAfterMs)
  if (due.length > 0) {
    const ids = due.map(({ credentialId }) => credentialId)
    // They hold now, whether or not that can be written down: the next use tries again.
    await prolongCredentials(ctx.db, ids, expiresAt).catch(prolongingFailed)
  }
  return found.map((credential) => ({ digest: credential.digest, caller: toCaller(credential, ctx.config.tokenTtlMs) }))
}
