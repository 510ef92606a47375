import { type DBSchema, type IDBPDatabase, openDB } from 'idb'
import type { Unsent } from '../store/unsent.ts'

interface Schema extends DBSchema {
  unsent: { key: string; value: Unsent }
}

let opened: Promise<IDBPDatabase<Schema>> | undefined

const database = (): Promise<IDBPDatabase<Schema>> =>
  (opened ??= openDB<Schema>('parley', 1, {
    upgrade: (db) => void db.createObjectStore('unsent', { keyPath: 'key' }),
  }))

export async function saveUnsent(unsent: Unsent): Promise<void> {
  await (await database()).put('unsent', unsent)
}

export async function deleteUnsent(key: string): Promise<void> {
  await (await database()).delete('unsent', key)
}

export async function loadUnsent(userId: string): Promise<Unsent[]> {
  const all = await (await database()).getAll('unsent')
  return all.filter((one) => one.userId === userId)
}

/** Whether the message is still stored as unsent. If not, it was sent or discarded, perhaps in another tab. */
export async function isStillUnsent(key: string): Promise<boolean> {
  return (await (await database()).getKey('unsent', key)) !== undefined
}
