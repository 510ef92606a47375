import { chownSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { watch } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from '@jest/globals'
import { createDataDir, dataDirAt } from './data-dir.ts'
import { deriveServiceEnvironment } from './derive-service-environment.ts'
import { lockDataDir } from './lock.ts'
import { retireSecret, rotatableSecrets, rotateSecret } from './rotation.ts'
import { Secrets } from './secrets.ts'

let folder: string
let first: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'parley-rotation-'))
  const dir = dataDirAt(folder)
  createDataDir(dir)
  first = new Secrets(dir.secretsFile).get('core')
  writeFileSync(dir.portsFile, JSON.stringify({ postgres: 5432, nats: 4222, redis: 6379 }))
})
afterEach(() => rmSync(folder, { recursive: true }))

const environment = () => deriveServiceEnvironment(folder, 'accounts', {}) ?? {}

test('after a rotation services receive both secrets until the old one is retired', async () => {
  expect(environment()).toMatchObject({ PARLEY_CORE_SECRET_KEY: first })
  await rotateSecret(folder, 'core', {})
  const second = environment().PARLEY_CORE_SECRET_KEY
  expect(second).not.toBe(first)
  expect(environment()).toMatchObject({ PARLEY_CORE_SECRET_KEY_PREVIOUS: first })
  expect(rotatableSecrets(folder).find(({ name }) => name === 'core')).toMatchObject({ hasPrevious: true })
  await expect(rotateSecret(folder, 'core', {})).rejects.toThrow(/retire that first/)
  await retireSecret(folder, 'core')
  expect(environment()).toMatchObject({ PARLEY_CORE_SECRET_KEY: second })
  expect(environment()).not.toHaveProperty('PARLEY_CORE_SECRET_KEY_PREVIOUS')
  await expect(retireSecret(folder, 'core')).rejects.toThrow(/no previous value/)
})

test('only certain secrets can be rotated, and none while the fleet runs', async () => {
  await expect(rotateSecret(folder, 'database.accounts', {})).rejects.toThrow(/there is no secret/)
  using _running = await lockDataDir(folder, dataDirAt(folder).lockFile)
  await expect(rotateSecret(folder, 'core', {})).rejects.toThrow(/is running \(process \d+\); stop it/)
  await expect(retireSecret(folder, 'core')).rejects.toThrow(/stop it/)
})

test('during a rotation no fleet can start on the folder', async () => {
  const rotating = rotateSecret(folder, 'core', {})
  await expect(lockDataDir(folder, dataDirAt(folder).lockFile)).rejects.toThrow(/another Parley runs/)
  await rotating
  using _free = await lockDataDir(folder, dataDirAt(folder).lockFile)
})

test('a rotation replaces secrets.json in one step, so a crash cannot leave it half written', async () => {
  const changes: AsyncIterator<{ filename: string | null }, undefined> = watch(folder)[Symbol.asyncIterator]()
  const marker = join(folder, 'marker')
  const rotated = rotateSecret(folder, 'core', {}).finally(() => writeFileSync(marker, ''))
  rotated.catch(() => undefined)
  const seen: (string | null)[] = []
  while (!seen.includes('marker')) seen.push((await changes.next()).value?.filename ?? null)
  await rotated
  await changes.return?.()
  expect(seen.filter((name) => name === 'secrets.json')).toHaveLength(1)
})

test('a secret that the environment or parley.toml sets is not rotated', async () => {
  const env = { PARLEY_CORE_SECRET_KEY: 'from the environment', PARLEY_UPLOADS_BLOB_SECRET: 'too' }
  await expect(rotateSecret(folder, 'core', env)).rejects.toThrow(/^PARLEY_CORE_SECRET_KEY is set in the environment/)
  await expect(rotateSecret(folder, 'uploadsBlob', env)).rejects.toThrow(/^PARLEY_UPLOADS_BLOB_SECRET is set in/)
  const file = join(folder, 'parley.toml')
  writeFileSync(file, '[core]\nsecret_key = "from the file"\n')
  await expect(rotateSecret(folder, 'core', { PARLEY_CONFIG_FILE: file })).rejects.toThrow(`is set in ${file}`)
  expect(new Secrets(dataDirAt(folder).secretsFile).peek('core')).toBe(first)
  await rotateSecret(folder, 'uploadsBlob', { PARLEY_CONFIG_FILE: file })
})

test('the derived environment leaves out settings of parley.toml', () => {
  const file = join(folder, 'parley.toml')
  const text =
    '[webserver]\nurl = "https://chat.example.org"\n[core]\nsecret_key = "from the file"\n[smtp]\nenabled = true\n'
  writeFileSync(file, text)
  const known = deriveServiceEnvironment(folder, 'accounts', { PARLEY_CONFIG_FILE: file }) ?? {}
  expect(known).not.toHaveProperty('PARLEY_WEBSERVER_URL')
  expect(known).not.toHaveProperty('PARLEY_CORE_SECRET_KEY')
  expect(known).not.toHaveProperty('PARLEY_MAIL_DIR')
  expect(
    deriveServiceEnvironment(folder, 'accounts', { PARLEY_MAIL_DIR: '/mails', PARLEY_PORT: '4000' }),
  ).toMatchObject({
    PARLEY_MAIL_DIR: '/mails',
    PARLEY_WEBSERVER_URL: 'http://127.0.0.1:4000',
  })
})

const isRoot = process.getuid?.() === 0
const asRoot = isRoot ? test : test.skip
const why = isRoot ? '' : ' (skipped: only root can give files to another user)'
asRoot(
  `the secrets of another user are not rotated, because a file written by root would be unreadable to them${why}`,
  async () => {
    const { secretsFile } = dataDirAt(folder)
    chownSync(secretsFile, 12_345, 12_345)
    await expect(rotateSecret(folder, 'core', {})).rejects.toThrow(
      /belongs to another user; run this command as that user/,
    )
    expect(statSync(secretsFile).uid).toBe(12_345)
  },
)

test('a folder without a fleet has no environment and no secrets; an unknown service is an error', () => {
  const empty = join(folder, 'empty')
  expect(deriveServiceEnvironment(empty, 'accounts', {})).toBeUndefined()
  expect(() => rotatableSecrets(empty)).toThrow(/no fleet has ever run/)
  expect(() => deriveServiceEnvironment(folder, 'nobody', {})).toThrow(RangeError)
})
