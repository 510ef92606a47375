import { randomUUID } from 'node:crypto'
import { sql } from 'drizzle-orm'
import type { Db } from '@parley/postgres'
import { storageIdentity } from './schema.ts'

/**
 * A mark is a random id that the database and the storage share. The database keeps this number of marks, and a storage
 * with an older one counts as foreign.
 */
const maxMarks = 500

export type KnownIdentity = { storageId: string; marks: string[] }

export async function getIdentity(db: Db): Promise<KnownIdentity> {
  await db.insert(storageIdentity).values({ storageId: randomUUID() }).onConflictDoNothing()
  const [row] = await db.select().from(storageIdentity)
  if (!row) throw new Error('the identity of the storage was deleted concurrently')
  return row
}

export async function addMark(db: Db, mark: string): Promise<void> {
  const { marks } = storageIdentity
  await db
    .update(storageIdentity)
    .set({ marks: sql`(array_append(${marks}, ${mark}))[greatest(cardinality(${marks}) + 2 - ${maxMarks}, 1):]` })
}

export async function replaceIdentity(db: Db, identity: KnownIdentity): Promise<void> {
  await db.insert(storageIdentity).values(identity).onConflictDoUpdate({ target: storageIdentity.id, set: identity })
}
