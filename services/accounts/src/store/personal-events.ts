import { and, eq, inArray, isNotNull, isNull } from 'drizzle-orm'
import { deleteInBatches, type Db } from '@parley/postgres'
import { outbox } from './schema.ts'

const entriesOf = (userId: string, kinds: readonly string[]) =>
  and(
    eq(outbox.aggregate, `user.${userId}`),
    inArray(
      outbox.subject,
      kinds.map((kind) => `evt.user.${userId}.${kind}`),
    ),
  )

/** Deletes entries that are on the stream; returns how many. */
export function eraseRelayed(
  db: Db,
  { userId, kinds, signal }: { userId: string; kinds: readonly string[]; signal: AbortSignal },
): Promise<number> {
  return deleteInBatches(db, outbox, { where: and(entriesOf(userId, kinds), isNotNull(outbox.relayedAt)), signal })
}

/** Entries that are not on the stream yet; a later pass deletes them. */
export function countUnrelayed(db: Db, userId: string, kinds: readonly string[]): Promise<number> {
  return db.$count(outbox, and(entriesOf(userId, kinds), isNull(outbox.relayedAt)))
}
