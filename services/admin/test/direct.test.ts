import { fileURLToPath } from 'node:url'
import { expect, test } from '@jest/globals'
import { openTestDatabase, testDatabase } from '@parley/testkit'
import { answerDirectly } from '../src/operator/answer.ts'

const migrations = fileURLToPath(new URL('../drizzle', import.meta.url))
const request = (url: string, login: string) =>
  answerDirectly(JSON.stringify({ login }), { PARLEY_ADMIN_DATABASE_URL: url })

test('policy and blocked usernames are available before the first start', async () => {
  await using database = await testDatabase(migrations)
  const answers = await Promise.all([
    request(database.url, 'Root'),
    request(database.url, 'alice'),
    request(database.url, 'root'),
  ])
  expect(answers.map(({ answer }) => answer.blocked)).toEqual([true, false, true])
  for (const { answer } of answers) expect(JSON.stringify(answer.policy)).toContain('"owner"')
})

test('a database without tables is reported with PostgreSQL’s message, without the statement', async () => {
  await using database = await testDatabase(migrations)
  await using connection = await openTestDatabase(database.url, { pool: 1 })
  await connection.pool.query('drop schema public cascade; create schema public')
  const failure: unknown = await request(database.url, 'alice').catch((error: unknown) => error)
  expect(String(failure)).toMatch(/relation "policy_state" does not exist; run migrate.js of admin first$/)
  expect(String(failure)).not.toMatch(/insert|params/)
})
