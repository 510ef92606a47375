import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from '@jest/globals'
import { authProviderFields } from './auth-providers.ts'
import { secret } from './kinds.ts'
import { secretsIn, withoutSecrets } from './secrets.ts'

const dir = mkdtempSync(join(tmpdir(), 'parley-secrets-'))
afterAll(() => rmSync(dir, { recursive: true, force: true }))

const key = { key: secret('PARLEY_TEST_KEY', { doc: '' }) }
const secretsOf = (value: string) => secretsIn(key, { env: { PARLEY_TEST_KEY: value } })

test('the password in a URL is found, both encoded and decoded', () => {
  expect(secretsOf('redis://:p%40ssword@redis')).toEqual(expect.arrayContaining(['p%40ssword', 'p@ssword']))
  expect(secretsOf('redis://:100%sure@redis')).toContain('100%sure')
})

test('a secret of several lines is also found with its lines joined, as messages contain it', () => {
  expect(secretsOf('first line\n  second\n')).toContain('first line second')
})

test('the longest secrets come first, so that none is replaced partially', () => {
  const fields = { one: secret('PARLEY_TEST_ONE', { doc: '' }), two: secret('PARLEY_TEST_TWO', { doc: '' }) }
  const env = { PARLEY_TEST_ONE: 'secret', PARLEY_TEST_TWO: 'secret and more' }
  expect([...new Set(secretsIn(fields, { env }))]).toEqual(['secret and more', 'secret'])
})

test('secrets in an array of tables are found in the file and in the environment', () => {
  const file = join(dir, 'parley.toml')
  writeFileSync(file, '[[auth.providers]]\nid = "one"\nclient_secret = "secret-of-one"\n')
  const env = { PARLEY_AUTH_PROVIDERS_1_CLIENT_SECRET: 'secret-of-two' }
  const secrets = secretsIn(authProviderFields(), { env, file })
  expect(secrets).toEqual(expect.arrayContaining(['secret-of-one', 'secret-of-two']))
})

test('credentials for collectors are found, whatever fields are declared', () => {
  const env = {
    OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'https://me:p%40ssword@collector:4318',
    OTEL_EXPORTER_OTLP_HEADERS: 'user=x,authorization=Basic%20c2VjcmV0',
  }
  for (const fields of [{}, key]) {
    const secrets = secretsIn(fields, { env })
    expect(secrets).toEqual(expect.arrayContaining(['me:p%40ssword', 'p@ssword', 'Basic c2VjcmV0']))
    expect(withoutSecrets('p@ssword and Basic c2VjcmV0', secrets)).toBe('*** and ***')
    expect(secretsIn(fields, { env }, { collectors: false })).toEqual([])
  }
})
