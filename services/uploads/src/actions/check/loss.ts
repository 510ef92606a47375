import type { Context } from '../../context.ts'
import { storageLooksEmpty, tooMuchIsMissing } from '../../errors.ts'
import { storageKeys } from '../../engines/storage/index.ts'
import { tablesWithBytes } from '../../store/expected.ts'

/** A smaller number may have been lost individually. */
const many = 10
const manyMissing = 50
/** Kinds of bytes that must exist as long as their rows do. */
const lasting = [storageKeys.assets, storageKeys.variants, storageKeys.serverImages]
const lastingTables = tablesWithBytes.filter(({ name }) => ['assets', 'variants', 'images'].includes(name))

/** Throws if the storage is empty although the database has many files: most likely its disk is not mounted. */
export async function assertNotEmpty({ db, storage }: Pick<Context, 'db' | 'storage'>): Promise<void> {
  for (const prefix of lasting) for await (const _ of storage.list(prefix)) return
  const known = await Promise.all(lastingTables.map((table) => table.behind(db, '', many)))
  if (known.flat().filter(({ lost }) => !lost).length >= many) throw storageLooksEmpty()
}

/** Throws when hardly any row has its bytes: most likely the wrong storage is mounted. */
export function assertFewMissing(missing: number, of: number): void {
  if (missing > manyMissing && missing > of / 2) throw tooMuchIsMissing(missing, of)
}
