import { describe, expect, test } from '@jest/globals'
import { ConfigError, defineConfig, describe as describeConfig, redact } from '@parley/config'
import { assetStorageFields } from './settings.ts'

const readConfig = defineConfig(assetStorageFields())
const complete = {
  STORAGE_BACKEND: 's3',
  S3_ENDPOINT: 's3.example.org:9000',
  S3_BUCKET: 'parley-files',
  S3_ACCESS_KEY_ID: 'parley',
  S3_SECRET_ACCESS_KEY: 'hunter2',
}
const toEnv = (settings: Record<string, string>): NodeJS.ProcessEnv =>
  Object.fromEntries(Object.entries(settings).map(([name, value]) => [`PARLEY_CORE_ASSETS_${name}`, value]))
const storageOf = (settings: Record<string, string>) => readConfig({ env: toEnv(settings) }).assetStorage
function problemsOf(settings: Record<string, string>): readonly string[] {
  try {
    storageOf(settings)
  } catch (error) {
    if (error instanceof ConfigError) return error.problems
    throw error
  }
  return []
}

test('a folder is the default backend, and needs only its path', () => {
  expect(storageOf({ DIRECTORY: '/data' })).toEqual({ backend: 'disk', directory: '/data' })
  expect(problemsOf({})).toEqual([expect.stringContaining('PARLEY_CORE_ASSETS_DIRECTORY: is missing')])
})

test('a bucket needs no folder; region, TLS, path style, presigned URLs and path prefix have defaults', () => {
  const defaults = { region: 'us-east-1', useSsl: true, pathStyle: false, presign: true, pathPrefix: '' }
  const given = { endpoint: 's3.example.org:9000', bucket: 'parley-files', accessKeyId: 'parley' }
  expect(storageOf(complete)).toEqual({ backend: 's3', ...given, secretAccessKey: 'hunter2', ...defaults })
  const changed = { S3_REGION: 'eu', S3_USE_SSL: 'false', S3_PATH_STYLE: 'true', S3_PRESIGN: 'no' }
  expect(storageOf({ ...complete, ...changed, S3_PATH_PREFIX: '/chat/files/' })).toMatchObject({
    ...{ region: 'eu', useSsl: false, pathStyle: true, presign: false, pathPrefix: 'chat/files' },
  })
})

test('all missing and invalid settings of a bucket are reported at once', () => {
  const settings = ['S3_ENDPOINT', 'S3_BUCKET', 'S3_ACCESS_KEY_ID', 'S3_SECRET_ACCESS_KEY']
  expect(problemsOf({ STORAGE_BACKEND: 's3', S3_USE_SSL: 'perhaps' })).toEqual([
    ...settings.map((name) => expect.stringContaining(`PARLEY_CORE_ASSETS_${name}: is missing`)),
    expect.stringContaining('PARLEY_CORE_ASSETS_S3_USE_SSL'),
  ])
})

describe('an invalid setting is refused', () => {
  test.each([
    ['STORAGE_BACKEND', 'nats', /"disk" stores bytes in a folder, "s3" in a bucket/],
    ['STORAGE_BACKEND', 'tape', /is not one of: disk, s3/],
    ['S3_ENDPOINT', 'https://s3.example.org', /use_ssl/],
    ['S3_ENDPOINT', 's3.example.org/bucket', /not a host/],
    ['S3_BUCKET', 'No_Bucket', /not a valid bucket name/],
    ['S3_PATH_PREFIX', 'a//b', /single slashes/],
  ])('%s = %s', (name, value, problem) => {
    expect(problemsOf({ ...complete, [name]: value })).toEqual([expect.stringMatching(problem)])
  })
})

test('the secret access key is redacted, and every setting is listed', () => {
  expect(JSON.stringify(redact(readConfig({ env: toEnv(complete) })))).not.toContain('hunter2')
  expect(describeConfig(readConfig).map(({ toml }) => toml)).toEqual([
    'core.assets.storage_backend',
    'core.assets.directory',
    ...['endpoint', 'bucket', 'path_prefix', 'region', 'access_key_id', 'secret_access_key'].map(
      (key) => `core.assets.s3.${key}`,
    ),
    ...['use_ssl', 'path_style', 'presign'].map((key) => `core.assets.s3.${key}`),
  ])
})
