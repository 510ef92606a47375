import { toCallerMessage } from '@parley/credentials'
import type { Caller } from '@parley/contracts/internal'
import { graceUntil, rotateAfter } from '../domain/session-rotation.ts'
import type { ValidCredential } from '../store/credentials.ts'

export const toCaller = (credential: ValidCredential, lifetimeMs: number): Caller =>
  toCallerMessage({
    ...credential,
    expiresAt: credential.replacedAt ? graceUntil(credential.replacedAt) : credential.expiresAt,
    freshUntil: credential.freshUntil ?? undefined,
    rotateAfter: credential.rotatedAt ? rotateAfter(credential.rotatedAt, lifetimeMs) : undefined,
  })
