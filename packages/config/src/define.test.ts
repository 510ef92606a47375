import { describe, expect, test } from '@jest/globals'
import { describe as describeConfig } from './describe.ts'
import { bool, ConfigError, defineConfig, duration, int, list, port, redact, secret, str, url } from './index.ts'
import { problemsOf, useConfigFile } from './_sources.ts'

const file = useConfigFile()

const readConfig = defineConfig({
  databaseUrl: secret('PARLEY_DATABASE_URL', { doc: 'database', pattern: /^postgres:/ }),
  port: port('PARLEY_PORT', { toml: 'webserver.port', default: 8080, doc: 'public port' }),
  windowMs: duration('PARLEY_WINDOW', { default: '3h', doc: 'edit window' }),
  owners: list('PARLEY_OWNERS', { toml: 'owners.emails', default: [], doc: 'owners' }),
  proxy: url('PARLEY_PROXY', { optional: true, doc: 'proxy' }),
})

describe('when settings are read,', () => {
  test('defaults are parsed like given values', () => {
    expect(readConfig({ env: { PARLEY_DATABASE_URL: 'postgres://h/d' } })).toEqual({
      databaseUrl: 'postgres://h/d',
      port: 8080,
      windowMs: 10_800_000,
      owners: [],
      proxy: undefined,
    })
  })

  test('the environment takes precedence over the file, and the file over the default', () => {
    const path = file('[webserver]\nport = 4000\n[owners]\nemails = ["a@example.org", "b@example.org"]')
    const env = { PARLEY_DATABASE_URL: 'postgres://h/d', PARLEY_CONFIG_FILE: path }
    expect(readConfig({ env })).toMatchObject({ port: 4000, owners: ['a@example.org', 'b@example.org'] })
    expect(readConfig({ env: { ...env, PARLEY_OWNERS_EMAILS: 'c@example.org, d@example.org' } }).owners).toEqual([
      'c@example.org',
      'd@example.org',
    ])
  })

  test('the variable named after the key in the file takes precedence over the other variable of a setting', () => {
    const env = { PARLEY_DATABASE_URL: 'postgres://h/d', PARLEY_PORT: '1', PARLEY_WEBSERVER_PORT: '2' }
    expect(readConfig({ env }).port).toBe(2)
    expect(readConfig({ env: { ...env, PARLEY_WEBSERVER_PORT: '' } }).port).toBe(1)
  })
})

describe('when settings are invalid,', () => {
  test('all problems are reported at once, each naming its setting', () => {
    const path = file('[webserver]\nport = "high"')
    const problems = problemsOf(() =>
      readConfig({ env: { PARLEY_WINDOW: '3 parsecs', PARLEY_PROXY: 'x' }, file: path }),
    )
    expect(problems).toEqual([
      'PARLEY_DATABASE_URL: is missing (database)',
      `webserver.port in ${path}: "high" is not a port (0 to 65535)`,
      'PARLEY_WINDOW: "3 parsecs" is not a duration such as 500ms, 15s, 10m, 3h or 90d',
      'PARLEY_PROXY: "x" is not an absolute URL',
    ])
    expect(new ConfigError(problems).message.split('\n')).toHaveLength(5)
  })

  test('a secret is never shown', () => {
    const problems = problemsOf(() => readConfig({ env: { PARLEY_DATABASE_URL: 'mysql://u:hunter2@h/d' } }))
    expect(problems).toEqual(['PARLEY_DATABASE_URL: the given value does not match ^postgres:'])
  })

  test('credentials in a list of URLs are hidden, even if they contain characters that a URL encodes', () => {
    const read = defineConfig({ servers: str('SERVERS', { pattern: /^none$/, doc: 'servers' }) })
    for (const password of ['hunter2', 'hunter2/x', 'x@hunter2', 'a hunter2'])
      expect(problemsOf(() => read({ env: { SERVERS: `nats://u:${password}@one,nats://u:${password}@two` } }))).toEqual(
        ['SERVERS: "nats://***@one,nats://***@two" does not match ^none$'],
      )
  })

  test('a named file must exist and be TOML', () => {
    const missing = '/nowhere/none.toml'
    const env = { PARLEY_DATABASE_URL: 'postgres://h/d' }
    expect(problemsOf(() => readConfig({ env, file: missing }))).toEqual([`${missing}: cannot be read (ENOENT)`])
    const broken = file('[core]\nsecret_key = "hunter2')
    const problems = problemsOf(() => readConfig({ env, file: broken }))
    expect(problems).toEqual([expect.stringContaining(`${broken}: line 2`)])
    expect(problems.join()).not.toContain('hunter2')
  })
})

describe('when settings are displayed,', () => {
  test('redact hides secrets and credentials inside URLs', () => {
    const env = { PARLEY_DATABASE_URL: 'postgres://u:hunter2@h/d', PARLEY_PROXY: 'http://u:hunter2@proxy' }
    expect(redact(readConfig({ env }))).toMatchObject({
      databaseUrl: '***',
      proxy: 'http://***@proxy',
      port: 8080,
      windowMs: '3h',
    })
  })

  test('describe lists the declaration', () => {
    expect(describeConfig(readConfig).slice(0, 3)).toEqual([
      { env: 'PARLEY_DATABASE_URL', toml: '', kind: 'secret', default: 'required', doc: 'database' },
      {
        env: 'PARLEY_WEBSERVER_PORT, PARLEY_PORT',
        toml: 'webserver.port',
        kind: 'port',
        default: '8080',
        doc: 'public port',
      },
      { env: 'PARLEY_WINDOW', toml: '', kind: 'duration', default: '3h', doc: 'edit window' },
    ])
  })
})

test('values of the kinds int, str and bool are parsed and checked against their limits', () => {
  const read = defineConfig({
    pool: int('POOL', { min: 1, max: 300, doc: 'pool' }),
    name: str('NAME', { min: 2, doc: 'name' }),
    debug: bool('DEBUG', { doc: 'debug' }),
  })
  expect(read({ env: { POOL: '4', NAME: 'ab', DEBUG: 'yes' } })).toEqual({ pool: 4, name: 'ab', debug: true })
  expect(problemsOf(() => read({ env: { POOL: '0', NAME: 'a', DEBUG: 'maybe' } }))).toEqual([
    'POOL: "0" is below the minimum of 1',
    'NAME: "a" is below the minimum of 2 characters',
    'DEBUG: "maybe" is neither true nor false',
  ])
})
