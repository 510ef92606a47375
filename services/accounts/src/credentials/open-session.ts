import { credentialDigest } from '@parley/auth'
import { newHandle, newId, newToken } from '@parley/ids'
import type { Tx } from '@parley/postgres'
import type { Config } from '../config.ts'
import { noted } from '../domain/announcements.ts'
import { insertCredentials, trimCredentials, type NewCredential } from '../store/credentials.ts'
import type { Announcement } from '../store/user-changes.ts'
import { freshUntil } from './freshness.ts'

/** What one account may have at most; the ones that go are those used longest ago. */
const maxCredentials = 1_000

export type OpenedSession = {
  /** Empty when none was asked for. */
  token: string
  /** Empty when none was asked for. */
  cookieHandle: string
  lifetimeSeconds: number
  announcements: Announcement[]
}

/** Stores the credentials of a new session within the change of its account; their secrets are here and nowhere else. */
export async function openSession(
  tx: Tx,
  { secretKey, tokenTtlMs }: Pick<Config, 'secretKey' | 'tokenTtlMs'>,
  user: { id: string; authGeneration: number },
  at: Date,
  wanted: { kinds: readonly NewCredential['kind'][]; everFresh: boolean } = {
    kinds: ['bearer', 'cookie'],
    everFresh: true,
  },
): Promise<OpenedSession> {
  const secrets = {
    bearer: wanted.kinds.includes('bearer') ? newToken('accessToken') : '',
    cookie: wanted.kinds.includes('cookie') ? newHandle() : '',
  }
  const rows = wanted.kinds.map((kind) => ({
    id: newId('credential'),
    userId: user.id,
    kind,
    digest: credentialDigest(secretKey, secrets[kind]),
    authGeneration: user.authGeneration,
    createdAt: at,
    freshUntil: wanted.everFresh ? freshUntil(at) : null,
    rotatedAt: kind === 'cookie' ? at : null,
    expiresAt: new Date(at.getTime() + tokenTtlMs),
  }))
  await insertCredentials(tx, rows)
  await trimCredentials(tx, user.id, maxCredentials)
  return {
    token: secrets.bearer,
    cookieHandle: secrets.cookie,
    lifetimeSeconds: Math.floor(tokenTtlMs / 1000),
    announcements: rows.flatMap(({ id, kind }) =>
      kind === 'bearer' ? [noted('bearer_token_issued', { credential_id: id })] : [],
    ),
  }
}
