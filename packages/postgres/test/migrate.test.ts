import { afterEach, expect, jest, test } from '@jest/globals'
import { runMigrations } from '../src/index.ts'

const variable = 'PARLEY_NOWHERE_DATABASE_URL'

afterEach(() => {
  process.exitCode = undefined
  Reflect.deleteProperty(process.env, variable)
  jest.restoreAllMocks()
})

test('without the database setting the migration names it and exits with the code for an invalid configuration', async () => {
  const printed = jest.spyOn(process.stderr, 'write').mockReturnValue(true)
  await runMigrations('nowhere', new URL('./drizzle', import.meta.url))
  expect(process.exitCode).toBe(78)
  expect(printed.mock.calls.map(([text]) => String(text)).join('')).toContain(variable)
})
