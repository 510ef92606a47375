import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import {
  authProviderFields,
  defineConfig,
  duration,
  effectiveSettings,
  livekitFields,
  port,
  secret,
  str,
  url,
} from './index.ts'

const readConfig = defineConfig({
  databaseUrl: secret('PARLEY_DATABASE_URL', { doc: 'database' }),
  port: port('PARLEY_PORT', { toml: 'webserver.port', default: 8080, doc: 'public port' }),
  windowMs: duration('PARLEY_WINDOW', { default: '3h', doc: 'edit window' }),
  proxy: url('PARLEY_PROXY', { optional: true, doc: 'proxy' }),
  name: str('PARLEY_NAME', { doc: 'name' }),
})

test('every setting is listed with its source, secrets and passwords are hidden, and problems do not hide the rest', () => {
  const directory = mkdtempSync(join(tmpdir(), 'effective-'))
  const file = join(directory, 'parley.toml')
  writeFileSync(file, '[webserver]\nport = 4000\n')
  const env = {
    PARLEY_DATABASE_URL: 'postgres://u:hunter2@h/d',
    PARLEY_PROXY: 'http://u:hunter2@p',
    PARLEY_WINDOW: 'x',
  }
  const rows = effectiveSettings(readConfig, { env, file })
  rmSync(directory, { recursive: true })
  expect(rows.map(({ name, value, source }) => [name, value, source])).toEqual([
    ['databaseUrl', '***', 'environment'],
    ['port', 4000, file],
    ['windowMs', null, 'environment'],
    ['proxy', 'http://***@p', 'environment'],
    ['name', null, 'missing'],
  ])
  expect(rows.map(({ mistake }) => mistake)).toEqual([
    undefined,
    undefined,
    expect.stringContaining('PARLEY_WINDOW: "x" is not a duration'),
    undefined,
    'PARLEY_NAME: is missing (name)',
  ])
})

test('an unreadable file is reported first, without its content', () => {
  const directory = mkdtempSync(join(tmpdir(), 'effective-'))
  const file = join(directory, 'parley.toml')
  writeFileSync(file, '[webserver]\nport = hunter2\n')
  const [broken] = effectiveSettings(readConfig, { env: { PARLEY_CONFIG_FILE: file } })
  rmSync(directory, { recursive: true })
  expect(broken).toMatchObject({ env: 'PARLEY_CONFIG_FILE', value: null, mistake: expect.stringContaining('line 2') })
  expect(JSON.stringify(broken)).not.toContain('hunter2')
  const [missing] = effectiveSettings(readConfig, { env: { PARLEY_CONFIG_FILE: file } })
  expect(missing?.mistake).toBe(`${file}: cannot be read (ENOENT)`)
})

test('absent optional settings are "not set", absent required ones "missing"', () => {
  const rows = effectiveSettings(readConfig, { env: {} })
  const sourceOf = (name: string) => rows.find((row) => row.name === name)?.source
  expect([sourceOf('proxy'), sourceOf('name'), sourceOf('port')]).toEqual(['not set', 'missing', 'default'])
})

test('the settings of a group are listed one by one, and an array of tables as a whole', () => {
  const calls = defineConfig({ ...livekitFields(), ...authProviderFields() })
  const rows = effectiveSettings(calls, { env: { PARLEY_LIVEKIT_URL: 'wss://calls.example.org' } })
  const byName = new Map(rows.map((row) => [row.env || row.toml, row]))
  expect(byName.get('PARLEY_LIVEKIT_ENABLED')).toMatchObject({ value: false, source: 'default' })
  expect(byName.get('PARLEY_LIVEKIT_URL')).toMatchObject({
    ...{ value: 'wss://calls.example.org', source: 'environment' },
  })
  expect(byName.get('PARLEY_LIVEKIT_API_KEY')).toMatchObject({ value: null, source: 'not set' })
  expect(byName.get('auth.providers')).toMatchObject({ value: [], source: 'default' })
})

test('missing settings of a group are reported in their rows, and the other settings are still listed', () => {
  const env = { PARLEY_LIVEKIT_ENABLED: 'true', PARLEY_LIVEKIT_API_SECRET: 's'.repeat(32) }
  const given = { ...env, PARLEY_LIVEKIT_WEBHOOK_API_KEY: 'other' }
  const rows = effectiveSettings(defineConfig(livekitFields()), { env: given })
  const problems = rows.flatMap(({ env: name, source, mistake }) => (mistake ? [[name, source]] : []))
  expect(problems).toEqual([
    ['PARLEY_LIVEKIT_URL', 'missing'],
    ['PARLEY_LIVEKIT_API_KEY', 'missing'],
    ['', 'default'],
  ])
  expect(rows.find(({ env: name }) => name === 'PARLEY_LIVEKIT_API_SECRET')).toMatchObject({ value: '***' })
})
