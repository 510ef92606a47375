import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from '@jest/globals'
import { makeDataDir, dataDirAt } from './data-dir.ts'
import { knownEnvironment } from './known-environment.ts'
import { lockDataDir } from './lock.ts'
import { retireSecret, rotatableSecrets, rotateSecret } from './rotation.ts'
import { Secrets } from './secrets.ts'

let folder: string
let first: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'parley-rotation-'))
  const dir = dataDirAt(folder)
  makeDataDir(dir)
  first = new Secrets(dir.secretsFile).get('core')
  writeFileSync(dir.portsFile, JSON.stringify({ postgres: 5432, nats: 4222, redis: 6379 }))
})
afterEach(() => rmSync(folder, { recursive: true }))

const environment = () => knownEnvironment(folder, 'accounts', {}) ?? {}

test('a rotated secret is told as the present one, the one before for reading until it is retired', () => {
  expect(environment()).toMatchObject({ PARLEY_CORE_SECRET_KEY: first })
  rotateSecret(folder, 'core')
  const second = environment().PARLEY_CORE_SECRET_KEY
  expect(second).not.toBe(first)
  expect(environment()).toMatchObject({ PARLEY_CORE_SECRET_KEY_PREVIOUS: first })
  expect(rotatableSecrets(folder).find(({ name }) => name === 'core')).toMatchObject({ hasPrevious: true })
  expect(() => rotateSecret(folder, 'core')).toThrow(/retire it first/)
  retireSecret(folder, 'core')
  expect(environment()).toMatchObject({ PARLEY_CORE_SECRET_KEY: second })
  expect(environment()).not.toHaveProperty('PARLEY_CORE_SECRET_KEY_PREVIOUS')
  expect(() => retireSecret(folder, 'core')).toThrow(/no secret before/)
})

test('nothing else is rotated, and nothing while the fleet runs', async () => {
  expect(() => rotateSecret(folder, 'database.accounts')).toThrow(/there is no secret/)
  using _running = await lockDataDir(folder, dataDirAt(folder).lockFile)
  expect(() => rotateSecret(folder, 'core')).toThrow(/runs \(process \d+\); stop it/)
  expect(() => retireSecret(folder, 'core')).toThrow(/stop it/)
})

test('a folder on which no fleet ever ran is told as such', () => {
  const empty = join(folder, 'empty')
  expect(knownEnvironment(empty, 'accounts', {})).toBeUndefined()
  expect(() => rotatableSecrets(empty)).toThrow(/no fleet ever ran/)
  expect(() => knownEnvironment(folder, 'nobody', {})).toThrow(RangeError)
})
