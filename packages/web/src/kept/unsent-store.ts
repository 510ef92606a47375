import { type DBSchema, type IDBPDatabase, openDB } from 'idb'
import type { Unsent } from '../store/unsent.ts'

interface Kept extends DBSchema {
  unsent: { key: string; value: Unsent }
}

let opened: Promise<IDBPDatabase<Kept>> | undefined

const database = (): Promise<IDBPDatabase<Kept>> =>
  (opened ??= openDB<Kept>('parley', 1, {
    upgrade: (db) => void db.createObjectStore('unsent', { keyPath: 'key' }),
  }))

/** Keeps an unsent message over reloads and crashes. */
export async function keepUnsent(unsent: Unsent): Promise<void> {
  await (await database()).put('unsent', unsent)
}

/** Deletes an unsent message that was posted or discarded. */
export async function forgetUnsent(key: string): Promise<void> {
  await (await database()).delete('unsent', key)
}

/** A user's unsent messages on this device. */
export async function unsentOf(userId: string): Promise<Unsent[]> {
  const all = await (await database()).getAll('unsent')
  return all.filter((one) => one.userId === userId)
}

/** Whether the message is still unsent on this device; any tab may send it. */
export async function isKept(key: string): Promise<boolean> {
  return (await (await database()).getKey('unsent', key)) !== undefined
}
