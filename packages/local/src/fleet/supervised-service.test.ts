import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from '@jest/globals'
import { eventually } from '../../test/_eventually.ts'
import { SupervisedService } from './supervised-service.ts'

const folder = mkdtempSync(join(tmpdir(), 'parley-supervised-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
const main = join(folder, 'main.mjs')
writeFileSync(
  main,
  "for (const event of ['SIGTERM', 'disconnect']) process.on(event, () => process.exit()); process.send({ type: 'ready', internalPort: 1 })",
)

function superviseRooms(run: string, env: () => NodeJS.ProcessEnv = () => ({})) {
  const said: string[] = []
  const files = { logFile: join(folder, 'rooms.log'), pidFile: join(folder, run, 'rooms.pid') }
  const handlers = { say: (line: string) => void said.push(line), onLine: () => {}, onChange: () => {} }
  const whyUnstartable = () => Promise.resolve(undefined)
  return { service: new SupervisedService({ label: 'rooms', main, env, whyUnstartable, ...files, ...handlers }), said }
}

test('a service that the system could not start at first is started later', async () => {
  const tooMuch = [{ FILL: 'x'.repeat(3_000_000) }]
  const { service, said } = superviseRooms('', () => tooMuch.pop() ?? {})
  await service.waitUntilServing()
  expect(said).toEqual([expect.stringMatching(/^rooms cannot be started: spawn E2BIG; restarting it in 0.25 s$/)])
  await service.stop(5_000)
})

test('a service whose pid file cannot be written is not kept, and is started again', async () => {
  const { service, said } = superviseRooms('run')
  await eventually(() => said.length > 0)
  expect(said[0]).toMatch(/^rooms cannot be started: ENOENT.*rooms.pid/)
  expect(service.current).toBeUndefined()
  mkdirSync(join(folder, 'run'))
  await service.waitUntilServing()
  await service.stop(5_000)
})

test('a service whose environment could not be created is started again', async () => {
  let failures = 2
  const { service, said } = superviseRooms('', () => {
    if (failures-- > 0) throw new Error('EMFILE: too many open files')
    return {}
  })
  await service.waitUntilServing()
  expect(said).toHaveLength(2)
  await service.stop(5_000)
})
