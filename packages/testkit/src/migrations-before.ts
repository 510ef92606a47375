import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/**
 * A copy of a drizzle folder whose journal ends before a migration, so that only earlier ones are applied. Disposing
 * removes the copy. `name` is the name of the migration's file without `.sql`.
 */
export function migrationsBefore(drizzleFolder: URL, name: string): Disposable & { folder: string } {
  const folder = mkdtempSync(join(tmpdir(), 'parley-drizzle-'))
  cpSync(fileURLToPath(drizzleFolder), folder, { recursive: true })
  const file = join(folder, 'meta/_journal.json')
  const journal = JSON.parse(readFileSync(file, 'utf8')) as { entries: { tag: string }[] }
  const end = journal.entries.findIndex(({ tag }) => tag === name)
  if (end < 0) throw new Error(`there is no migration ${name}`)
  writeFileSync(file, JSON.stringify({ ...journal, entries: journal.entries.slice(0, end) }))
  return { folder, [Symbol.dispose]: () => rmSync(folder, { recursive: true }) }
}
