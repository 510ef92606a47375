import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, jest, test } from '@jest/globals'
import { migrateDatabase, runMigrations } from '../src/index.ts'
import { newDatabaseUrl } from './_databases.ts'

const variable = 'PARLEY_NOWHERE_DATABASE_URL'

afterEach(() => {
  process.exitCode = undefined
  Reflect.deleteProperty(process.env, variable)
  jest.restoreAllMocks()
})

test('if the database setting is missing, a migration names it and exits with the code for an invalid configuration', async () => {
  const printed = jest.spyOn(process.stderr, 'write').mockReturnValue(true)
  await runMigrations('nowhere', new URL('./drizzle', import.meta.url))
  expect(process.exitCode).toBe(78)
  expect(printed.mock.calls.map(([text]) => String(text)).join('')).toContain(variable)
})

test('timeouts of the role for statements and locks do not apply to migrations, even while they wait for one another', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'parley-migrations-'))
  const entries = [{ idx: 0, version: '7', when: 1, tag: '0000_slow', breakpoints: true }]
  await mkdir(join(folder, 'meta'))
  await writeFile(join(folder, 'meta/_journal.json'), JSON.stringify({ version: '7', dialect: 'postgresql', entries }))
  await writeFile(join(folder, '0000_slow.sql'), 'select pg_sleep(0.5)')
  const url = new URL(newDatabaseUrl())
  // Like `alter role ... set`, but only for these connections.
  url.searchParams.set('options', '-c statement_timeout=100 -c lock_timeout=50')
  await Promise.all([1, 2].map(() => migrateDatabase({ url: url.href, folder })))
  await rm(folder, { recursive: true })
})
