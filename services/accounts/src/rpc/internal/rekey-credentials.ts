import type { MethodImpl } from '@connectrpc/connect'
import type { AccountsInternalService } from '@parley/contracts/internal'
import type { Context } from '../../context.ts'
import { invalidDigest, tooManyAtOnce } from '../../errors.ts'
import { rekeyCredentials as rekey } from '../../store/credentials.ts'

const maxPerCall = 1_000
const digestBytes = 32

export function rekeyCredentials({ db }: Context): MethodImpl<typeof AccountsInternalService.method.rekeyCredentials> {
  return async ({ entries }) => {
    if (entries.length > maxPerCall) throw tooManyAtOnce('credentials', maxPerCall)
    if (entries.some(({ digest }) => digest.length !== digestBytes)) throw invalidDigest()
    await rekey(
      db,
      entries.map(({ previous, digest }) => ({ previous: Buffer.from(previous), digest: Buffer.from(digest) })),
    )
    return {}
  }
}
