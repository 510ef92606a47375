import { credentialDigest } from '@parley/credentials'
import { newId, newToken } from '@parley/ids'
import type { Tx } from '@parley/postgres'
import type { Config } from '../../config.ts'
import { auditEvent, sessionsRevoked } from '../../domain/announcements.ts'
import { insertCredentials, type NewCredential } from '../../store/credentials.ts'
import { trimCredentials } from '../../store/end-credentials.ts'
import { readableUserAgent } from '../../domain/user-agent.ts'
import { accountDeactivated } from '../../errors.ts'
import type { Announcement } from '../../store/user-changes.ts'
import { freshUntil } from './freshness.ts'
import { newSessionHandle } from './session-handle.ts'

/** Per account. If there are more, those that expire first are deleted. */
const maxCredentials = 1_000

export type OpenedSession = {
  token: string
  cookieHandle: string
  lifetimeSeconds: number
  announcements: Announcement[]
}

export type SessionOptions = {
  /** Default: both. */
  kinds?: readonly NewCredential['kind'][]
  /** False for clients that must never call methods that require a fresh credential. */
  canBeFresh?: boolean
  userAgent?: string
  /** Origin of the web application that gets the session through the user's consent. */
  clientOrigin?: string
}

export const sessionOptionsOf = (request: { userAgent: string; cookieOnly: boolean }): SessionOptions => ({
  userAgent: request.userAgent,
  ...(request.cookieOnly && { kinds: ['cookie'] }),
})

/** Only the result contains the secrets. Throws `permission_denied` for a deactivated account. */
export async function openSession(
  tx: Tx,
  { publicUrl, secretKey, tokenTtlMs }: Pick<Config, 'publicUrl' | 'secretKey' | 'tokenTtlMs'>,
  user: { id: string; authGeneration: number; deactivatedAt?: Date | null },
  at: Date,
  { kinds = ['bearer', 'cookie'], canBeFresh = true, userAgent = '', clientOrigin }: SessionOptions = {},
): Promise<OpenedSession> {
  if (user.deactivatedAt) throw accountDeactivated()
  const secrets = {
    bearer: kinds.includes('bearer') ? newToken('accessToken') : '',
    cookie: kinds.includes('cookie') ? newSessionHandle({ publicUrl }) : '',
  }
  const sessionId = newId('credential')
  const rows = kinds.map((kind) => ({
    id: newId('credential'),
    sessionId,
    userAgent: userAgent === '' ? null : readableUserAgent(userAgent),
    clientOrigin: clientOrigin ?? null,
    userId: user.id,
    kind,
    digest: credentialDigest(secretKey, secrets[kind]),
    authGeneration: user.authGeneration,
    createdAt: at,
    freshUntil: canBeFresh ? freshUntil(at) : null,
    rotatedAt: kind === 'cookie' ? at : null,
    expiresAt: new Date(at.getTime() + tokenTtlMs),
  }))
  await insertCredentials(tx, rows)
  const trimmed = await trimCredentials(tx, user.id, maxCredentials)
  return {
    token: secrets.bearer,
    cookieHandle: secrets.cookie,
    lifetimeSeconds: Math.floor(tokenTtlMs / 1000),
    announcements: [
      ...rows.flatMap(({ id, kind }) =>
        kind === 'bearer' ? [auditEvent('bearer_token_issued', { credential_id: id })] : [],
      ),
      ...(trimmed.length > 0 ? [sessionsRevoked(trimmed)] : []),
    ],
  }
}
