import { expect, test } from '@jest/globals'
import { ConfigError } from '@parley/config'
import { compactDeployables, databaseOwners } from '@parley/contracts/deployables'
import { readConfig } from '../src/config.ts'
import { startCompact } from '../src/compact.ts'
import { environmentOf } from '../src/environment.ts'

test('the compact process runs the configured deployables, by default all except realtime, which it refuses', () => {
  expect(readConfig({ env: {} }).deployables).toEqual(compactDeployables)
  const env = { PARLEY_COMPACT_DEPLOYABLES: 'rooms, gateway' }
  expect(readConfig({ env }).deployables).toEqual(['gateway', 'rooms'])
  expect(() => readConfig({ env: { PARLEY_COMPACT_DEPLOYABLES: 'realtime' } })).toThrow(/PARLEY_COMPACT_DEPLOYABLES/)
})

test('a deployable with its own NATS password uses its own NATS user; the others use the user of the process', () => {
  const env = { PARLEY_NATS_USER: 'somebody', PARLEY_NATS_PASSWORD_ROOMS: 'of-rooms' }
  expect(environmentOf('rooms', env)).toMatchObject({ PARLEY_NATS_USER: 'rooms', PARLEY_NATS_PASSWORD: 'of-rooms' })
  expect(environmentOf('calls', env)).toEqual(env)
})

test('a start without settings lists the missing settings of all deployables, each once', async () => {
  const error = await startCompact({}, new AbortController().signal).then(
    () => undefined,
    (reason: unknown) => reason,
  )
  if (!(error instanceof ConfigError)) throw new Error('it started')
  for (const name of databaseOwners)
    expect(error.problems.filter((one) => one.includes(`PARLEY_${name.toUpperCase()}_DATABASE_URL`))).toHaveLength(1)
  expect(error.problems.filter((one) => one.includes('PARLEY_NATS_URL'))).toHaveLength(1)
})
