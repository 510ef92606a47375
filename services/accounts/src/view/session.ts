import { create } from '@bufbuild/protobuf'
import { timestampFromDate } from '@bufbuild/protobuf/wkt'
import type { Caller } from '@parley/credentials'
import { SessionSchema, type Session } from '@parley/contracts/api'
import type { ActiveSession } from '../domain/sessions.ts'

type ViewContext = { caller: Pick<Caller, 'credentialId'>; now: Date; lifetimeMs: number }

/**
 * A use extends a session to a full lifetime, at most once a day, so the last use is the end minus the lifetime, exact
 * to a day. Clamped, because the lifetime may have been configured differently.
 */
export function toSession(session: ActiveSession, { caller, now, lifetimeMs }: ViewContext): Session {
  const extendedAt = session.expiresAt.getTime() - lifetimeMs
  const lastUsedAt = new Date(Math.min(now.getTime(), Math.max(session.createdAt.getTime(), extendedAt)))
  return create(SessionSchema, {
    id: session.id,
    current: session.credentialIds.includes(caller.credentialId),
    userAgent: session.userAgent ?? '',
    createdAt: timestampFromDate(session.createdAt),
    lastUsedAt: timestampFromDate(lastUsedAt),
    expiresAt: timestampFromDate(session.expiresAt),
  })
}
