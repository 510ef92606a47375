import type { Context } from '../../context.ts'
import { storageLooksEmpty, tooMuchIsMissing } from '../../errors.ts'
import { storageKeys } from '../../engines/storage/index.ts'
import { tablesWithBytes } from '../../store/expected.ts'

/** Fewer files may have been lost one by one. */
const manyFiles = 10
const maxMissing = 50
/** Kinds of bytes that must exist as long as their rows do. */
const lasting = [storageKeys.assets, storageKeys.variants, storageKeys.serverImages]
const lastingTables = tablesWithBytes.filter(({ name }) => ['assets', 'variants', 'images'].includes(name))

/** Throws if the storage is empty although the database has many files: most likely its disk is not mounted. */
export async function assertNotEmpty({ db, storage }: Pick<Context, 'db' | 'storage'>): Promise<void> {
  for (const prefix of lasting) for await (const _ of storage.list(prefix)) return
  const known = await Promise.all(lastingTables.map((table) => table.listAfter(db, '', manyFiles)))
  if (known.flat().filter(({ lost }) => !lost).length >= manyFiles) throw storageLooksEmpty()
}

/** Throws if the bytes of more than half of the rows are missing: most likely the wrong storage is mounted. */
export function assertFewMissing(missing: number, rows: number): void {
  if (missing > maxMissing && missing > rows / 2) throw tooMuchIsMissing(missing, rows)
}
