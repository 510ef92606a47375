import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { runProgram } from './_program.ts'

test('lines are JSON, name the service and hide secrets', async () => {
  const lines = await runProgram('speak', { PARLEY_SERVICE: 'rooms' })
  expect(lines.map((line) => line['msg'])).toEqual(['hello', 'inside'])
  expect(lines[0]).toMatchObject({ level: 'info', service: 'rooms', name: 'test', roomId: 'R1', password: '***' })
  expect(lines[0]?.['time']).toMatch(/^\d{4}-\d\d-\d\dT/)
  expect(JSON.stringify(lines)).not.toContain('hunter2')
})

test('without a collector nothing is traced', async () => {
  const lines = await runProgram('speak', {})
  expect(lines[1]).toMatchObject({ msg: 'inside', traceparent: '' })
  expect(lines[1]).not.toHaveProperty('trace_id')
})

test('the log level comes from the environment, otherwise from parley.toml', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'telemetry-'))
  try {
    const file = join(folder, 'parley.toml')
    await writeFile(file, '[general]\nlog_level = "warn"')
    const messages = async (env: NodeJS.ProcessEnv) => (await runProgram('speak', env)).map((line) => line['msg'])
    expect(await messages({ PARLEY_CONFIG_FILE: file })).toEqual(['inside'])
    expect(await messages({ PARLEY_CONFIG_FILE: file, PARLEY_GENERAL_LOG_LEVEL: 'debug' })).toEqual([
      'a detail',
      'hello',
      'inside',
    ])
  } finally {
    await rm(folder, { recursive: true })
  }
})

test('several copies of the module add only one listener to the output', async () => {
  const before = process.stdout.listenerCount('error')
  for (let copy = 0; copy < 12; copy++) {
    const path = `../src/logger.ts?copy=${copy}`
    const { logger } = (await import(path)) as { logger: (name: string) => unknown }
    logger('test')
  }
  expect(process.stdout.listenerCount('error') - before).toBeLessThanOrEqual(1)
})
