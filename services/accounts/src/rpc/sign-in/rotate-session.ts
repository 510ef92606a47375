import type { MethodImpl } from '@connectrpc/connect'
import { credentialDigest } from '@parley/credentials'
import type { SignInInternalService } from '@parley/contracts/internal'
import type { Context } from '../../context.ts'
import { newSessionHandle } from '../../actions/credentials/session-handle.ts'
import { dueBefore } from '../../domain/session-rotation.ts'
import * as store from '../../store/credentials.ts'

export function rotateSession(ctx: Context): MethodImpl<typeof SignInInternalService.method.rotateSession> {
  return async ({ digest }) => {
    const { secretKey, tokenTtlMs } = ctx.config
    const now = ctx.now()
    const cookieHandle = newSessionHandle(ctx.config)
    const rotated = await store.rotateSession(ctx.db, Buffer.from(digest), {
      digest: credentialDigest(secretKey, cookieHandle),
      now,
      due: dueBefore(now, tokenTtlMs),
      expiresAt: new Date(now.getTime() + tokenTtlMs),
    })
    return rotated ? { cookieHandle, lifetimeSeconds: Math.floor(tokenTtlMs / 1000) } : {}
  }
}
