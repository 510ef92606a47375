import { credentialDigest } from '@parley/auth'
import { newHandle, newId, newToken } from '@parley/ids'
import type { Config } from '../config.ts'
import type { NewCredential } from '../store/credentials.ts'

const freshForMs = 30 * 60_000

/** The two secrets of a new session and what is stored of them. */
export function newSession({ secretKey, tokenTtlMs }: Config, userId: string, at: Date) {
  const token = newToken('accessToken')
  const cookieHandle = newHandle()
  const row = (kind: NewCredential['kind'], secret: string, authGeneration: number): NewCredential => ({
    id: newId('credential'),
    userId,
    kind,
    digest: credentialDigest(secretKey, secret),
    authGeneration,
    createdAt: at,
    freshUntil: new Date(at.getTime() + freshForMs),
    expiresAt: new Date(at.getTime() + tokenTtlMs),
  })
  return {
    token,
    cookieHandle,
    rows: (authGeneration: number) => [
      row('bearer', token, authGeneration),
      row('cookie', cookieHandle, authGeneration),
    ],
  }
}
