import type { Context } from '../../context.ts'
import { storageLooksEmpty, tooMuchIsMissing } from '../../errors.ts'
import { storageKeys } from '../../engines/storage/index.ts'
import { tablesWithBytes } from '../../store/tables-with-bytes.ts'

/** With fewer files, an empty storage may be right: they may have been lost one by one. */
const manyFiles = 10
const maxMissing = 50
/** Blobs and chunks are kept only for a short time. */
const lastingPrefixes = [storageKeys.assets, storageKeys.variants, storageKeys.serverImages]
const lastingTables = tablesWithBytes.filter(({ name }) => ['assets', 'variants', 'images'].includes(name))

/**
 * Throws if the storage has no files or public images although the database has many: most likely its disk is not
 * mounted.
 */
export async function assertNotEmpty({ db, storage }: Pick<Context, 'db' | 'storage'>): Promise<void> {
  for (const prefix of lastingPrefixes) for await (const _ of storage.list(prefix)) return
  const known = await Promise.all(lastingTables.map((table) => table.listAfter(db, '', manyFiles)))
  if (known.flat().filter(({ lost }) => !lost).length >= manyFiles) throw storageLooksEmpty()
}

/**
 * Throws if the bytes of more than `maxMissing` rows, and of more than half of the checked ones, are missing: most
 * likely this is another storage.
 */
export function assertFewMissing(missing: number, rows: number): void {
  if (missing > maxMissing && missing > rows / 2) throw tooMuchIsMissing(missing, rows)
}
