import { MethodOptions_IdempotencyLevel } from '@bufbuild/protobuf/wkt'
import { Code, ConnectError } from '@connectrpc/connect'
import { eq } from 'drizzle-orm'
import type { Db } from '@parley/postgres'
import type { CallGuard } from '@parley/rpc'
import { erasures } from '../schema.ts'

/**
 * A guard for `serveRpc` that refuses writes by users whose account is or was erased: a call may still run after its
 * credential has ended. Methods in `exempt` check the table `erasures` themselves.
 */
export function refuseErased(db: Db, exempt: ReadonlySet<string> = new Set()): CallGuard {
  return ({ method, userId }) => {
    const isRead = method.idempotency === MethodOptions_IdempotencyLevel.NO_SIDE_EFFECTS
    return isRead || exempt.has(method.name) ? undefined : assertNotErased(db, userId)
  }
}

async function assertNotErased(db: Db, userId: string): Promise<void> {
  const found = await db.select({ pass: erasures.pass }).from(erasures).where(eq(erasures.userId, userId)).limit(1)
  if (found.length > 0) throw new ConnectError('account not found: it was deleted', Code.Unauthenticated)
}
