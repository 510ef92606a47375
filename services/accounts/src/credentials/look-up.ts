import type { Caller } from '@parley/contracts/internal'
import type { Context } from '../context.ts'
import { tooManyDigests } from '../errors.ts'
import { findValidCredentials, prolongCredentials } from '../store/credentials.ts'
import { toCaller } from '../view/caller.ts'

const maxDigests = 1_000
/** Credentials in use are prolonged at most once a day each. */
const prolongAfterMs = 24 * 3600_000

/** Who the digests stand for; those that stand for nobody are left out. Using a credential prolongs it. */
export async function lookUp(ctx: Context, digests: Uint8Array[]): Promise<{ digest: Buffer; caller: Caller }[]> {
  if (digests.length > maxDigests) throw tooManyDigests(maxDigests)
  const now = ctx.now()
  const found = await findValidCredentials(
    ctx.db,
    digests.map((digest) => Buffer.from(digest)),
    now,
  )
  const expiresAt = new Date(now.getTime() + ctx.config.tokenTtlMs)
  const due = found.filter((credential) => expiresAt.getTime() - credential.expiresAt.getTime() > prolongAfterMs)
  if (due.length > 0)
    await prolongCredentials(
      ctx.db,
      due.map(({ credentialId }) => credentialId),
      expiresAt,
    )
  return found.map((credential) => ({ digest: credential.digest, caller: toCaller(credential) }))
}
