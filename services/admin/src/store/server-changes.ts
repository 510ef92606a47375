import { enqueue, nextVersion } from '@parley/events'
import type { Db, Tx } from '@parley/postgres'
import { eq } from 'drizzle-orm'
import type { ServerEvent } from '../domain/server-events.ts'
import { serverProfile } from './schema.ts'
import type { ServerProfileRow } from './server-profile.ts'

export type ServerChange = {
  set?: Partial<ServerProfileRow>
  events: (after: ServerProfileRow) => ServerEvent[]
}
export type ServerChangeResult = { profile: ServerProfileRow; entries: bigint[] }

/**
 * `decide` runs while the profile's row is locked, and returns undefined if nothing changes. A change raises the
 * version. `entries` are ids of outbox entries.
 */
export async function changeServer(
  db: Db,
  by: { actorId: string; at: Date },
  decide: (tx: Tx, before: ServerProfileRow) => Promise<ServerChange | undefined> | ServerChange | undefined,
): Promise<ServerChangeResult> {
  return db.transaction(async (tx) => {
    const [before] = await tx.select().from(serverProfile).for('update')
    if (!before) throw new Error('the server profile was never seeded')
    const change = await decide(tx, before)
    if (!change) return { profile: before, entries: [] }
    const set = { ...change.set, version: nextVersion(before.version, by.at) }
    await tx.update(serverProfile).set(set).where(eq(serverProfile.id, before.id))
    const profile = { ...before, ...set }
    const about = { aggregateType: 'config', aggregateId: 'server', version: profile.version } as const
    const events = change
      .events(profile)
      .map((event) => ({ ...about, ...event, occurredAt: by.at, actorId: by.actorId }))
    return { profile, entries: await enqueue(tx, events) }
  })
}
