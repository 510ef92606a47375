import { credentialDigest } from '@parley/credentials'
import { newId, newToken } from '@parley/ids'
import type { Tx } from '@parley/postgres'
import type { Config } from '../../config.ts'
import { noted, sessionsRevoked } from '../../domain/announcements.ts'
import { insertCredentials, type NewCredential } from '../../store/credentials.ts'
import { trimCredentials } from '../../store/end-credentials.ts'
import { readableUserAgent } from '../../domain/user-agent.ts'
import { accountDeactivated } from '../../errors.ts'
import type { Announcement } from '../../store/user-changes.ts'
import { freshUntil } from './freshness.ts'
import { newSessionHandle } from './session-handle.ts'

/** Maximum number per account; the least recently used ones are deleted. */
const maxCredentials = 1_000

export type OpenedSession = {
  /** Empty if none was requested. */
  token: string
  /** Empty when none was asked for. */
  cookieHandle: string
  lifetimeSeconds: number
  announcements: Announcement[]
}

/** Properties of the new session. */
export type WantedSession = {
  /** Which credentials to create; default: both. */
  kinds?: readonly NewCredential['kind'][]
  /** False for programs that must never do anything that requires a fresh proof. */
  everFresh?: boolean
  /** User agent of the program that signs in. */
  userAgent?: string
  /** Origin of another web client that is granted access. */
  clientOrigin?: string
}

/** Extracts the properties of the wanted session from a request, for {@link openSession}. */
export const wantedBy = (request: { userAgent: string; cookieOnly: boolean }): WantedSession => ({
  userAgent: request.userAgent,
  ...(request.cookieOnly && { kinds: ['cookie'] }),
})

/**
 * Stores the credentials of a new session within the change of its account; their secrets are only in the result.
 * Throws `permission_denied` for a deactivated account.
 */
export async function openSession(
  tx: Tx,
  { publicUrl, secretKey, tokenTtlMs }: Pick<Config, 'publicUrl' | 'secretKey' | 'tokenTtlMs'>,
  user: { id: string; authGeneration: number; deactivatedAt?: Date | null },
  at: Date,
  { kinds = ['bearer', 'cookie'], everFresh = true, userAgent = '', clientOrigin }: WantedSession = {},
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
    freshUntil: everFresh ? freshUntil(at) : null,
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
        kind === 'bearer' ? [noted('bearer_token_issued', { credential_id: id })] : [],
      ),
      ...(trimmed.length > 0 ? [sessionsRevoked(trimmed)] : []),
    ],
  }
}
