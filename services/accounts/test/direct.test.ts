import { fileURLToPath } from 'node:url'
import { toJson } from '@bufbuild/protobuf'
import { expect, test } from '@jest/globals'
import { GetPolicyResponseSchema } from '@parley/contracts/internal'
import { openTestDatabase, standardPolicy, testDatabase } from '@parley/testkit'
import { answerDirectly } from '../src/operator/answer.ts'

const migrations = fileURLToPath(new URL('../drizzle', import.meta.url))

test('a database without tables is reported with PostgreSQL’s message, without the statement', async () => {
  await using database = await testDatabase(migrations)
  await using connection = await openTestDatabase(database.url, { pool: 1 })
  await connection.pool.query('drop schema public cascade; create schema public')
  const request = { login: 'alice', password: 'correct horse battery', email: 'alice@example.org' }
  const operatorRequest = { policy: toJson(GetPolicyResponseSchema, standardPolicy()), blocked: false, request }
  const env = { PARLEY_ACCOUNTS_DATABASE_URL: database.url }
  for (const method of ['CreateUser', 'BootstrapOwner']) {
    const requested = answerDirectly(JSON.stringify({ ...operatorRequest, method }), env)
    const failure: unknown = await requested.catch((error: unknown) => error)
    expect(String(failure)).toMatch(/relation "\w+" does not exist; run migrate.js of accounts first$/)
    expect(String(failure)).not.toMatch(/insert|params|example/)
  }
})
