import { create } from '@bufbuild/protobuf'
import { timestampFromDate } from '@bufbuild/protobuf/wkt'
import type { Caller } from '@parley/credentials'
import { SessionSchema, type Session } from '@parley/contracts/api'
import type { HeldSession } from '../domain/sessions.ts'

type Seen = { caller: Pick<Caller, 'credentialId'>; now: Date; lifetimeMs: number }

/**
 * Each use sets the end of a session to a full lifetime ahead, so the last use is the end minus the lifetime. The
 * result is clamped, because the lifetime may have been configured differently then.
 */
export function toSession(session: HeldSession, { caller, now, lifetimeMs }: Seen): Session {
  const prolongedAt = session.expiresAt.getTime() - lifetimeMs
  const lastUsedAt = new Date(Math.min(now.getTime(), Math.max(session.createdAt.getTime(), prolongedAt)))
  return create(SessionSchema, {
    id: session.id,
    current: session.credentialIds.includes(caller.credentialId),
    userAgent: session.userAgent ?? '',
    createdAt: timestampFromDate(session.createdAt),
    lastUsedAt: timestampFromDate(lastUsedAt),
    expiresAt: timestampFromDate(session.expiresAt),
  })
}
