import type { Caller } from '@parley/contracts/internal'
import type { Context } from '../../context.ts'
import { graceFrom } from '../../domain/session-rotation.ts'
import { tooManyAtOnce } from '../../errors.ts'
import { findValidCredentials } from '../../store/credentials.ts'
import { toCaller } from '../../view/caller.ts'
import { extendCredentials } from './extend-credentials.ts'

const maxDigests = 1_000

/** Finds the callers by their credentials, and extends the credentials. */
export async function findCallers(ctx: Context, digests: Uint8Array[]): Promise<{ digest: Buffer; caller: Caller }[]> {
  if (digests.length > maxDigests) throw tooManyAtOnce('digests', maxDigests)
  const now = ctx.now()
  const found = await findValidCredentials(
    ctx.db,
    digests.map((digest) => Buffer.from(digest)),
    now,
    graceFrom(now),
  )
  await extendCredentials(ctx, found, now)
  return found.map((credential) => ({ digest: credential.digest, caller: toCaller(credential, ctx.config.tokenTtlMs) }))
}
