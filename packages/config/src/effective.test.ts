import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { defineConfig, duration, effectiveSettings, port, secret, str, url } from './index.ts'

const readConfig = defineConfig({
  databaseUrl: secret('PARLEY_DATABASE_URL', { doc: 'database' }),
  port: port('PARLEY_PORT', { toml: 'webserver.port', default: 8080, doc: 'public port' }),
  windowMs: duration('PARLEY_WINDOW', { default: '3h', doc: 'edit window' }),
  proxy: url('PARLEY_PROXY', { optional: true, doc: 'proxy' }),
  name: str('PARLEY_NAME', { doc: 'name' }),
})

test('every setting is told with its source; secrets and passwords are hidden; mistakes do not hide the rest', () => {
  const folder = mkdtempSync(join(tmpdir(), 'effective-'))
  const file = join(folder, 'parley.toml')
  writeFileSync(file, '[webserver]\nport = 4000\n')
  const env = {
    PARLEY_DATABASE_URL: 'postgres://u:hunter2@h/d',
    PARLEY_PROXY: 'http://u:hunter2@p',
    PARLEY_WINDOW: 'x',
  }
  const rows = effectiveSettings(readConfig, { env, file })
  rmSync(folder, { recursive: true })
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
    expect.stringContaining('PARLEY_WINDOW: "x" is not a span of time'),
    undefined,
    'PARLEY_NAME: is missing (name)',
  ])
})

test('a file that cannot be read is told before everything else, and nothing of what stands in it', () => {
  const folder = mkdtempSync(join(tmpdir(), 'effective-'))
  const file = join(folder, 'parley.toml')
  writeFileSync(file, '[webserver]\nport = hunter2\n')
  const [broken] = effectiveSettings(readConfig, { env: { PARLEY_CONFIG_FILE: file } })
  rmSync(folder, { recursive: true })
  expect(broken).toMatchObject({ env: 'PARLEY_CONFIG_FILE', value: null, mistake: expect.stringContaining('line 2') })
  expect(JSON.stringify(broken)).not.toContain('hunter2')
  const [missing] = effectiveSettings(readConfig, { env: { PARLEY_CONFIG_FILE: file } })
  expect(missing?.mistake).toBe(`${file}: cannot be read (ENOENT)`)
})
