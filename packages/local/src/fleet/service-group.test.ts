import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from '@jest/globals'
import { dataDirAt, makeDataDir } from './data-dir.ts'
import { ServiceGroup } from './service-group.ts'

const folder = mkdtempSync(join(tmpdir(), 'parley-group-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
const main = join(folder, 'main.mjs')
// Runs until it is stopped, and becomes ready only when told to.
writeFileSync(
  main,
  "for (const event of ['SIGTERM', 'disconnect']) process.on(event, () => process.exit()); if (process.env.SERVES) process.send({ type: 'ready', internalPort: 1 })",
)

test('a process that is removed while it starts fails no earlier request', async () => {
  const dir = dataDirAt(folder)
  makeDataDir(dir)
  let starts = 0
  const group = new ServiceGroup({
    ...{ services: [{ name: 'realtime', main }], replicas: 1, dir, publicPort: 0 },
    environment: () => (starts++ === 0 ? { SERVES: 'yes' } : {}),
    ...{ say: () => undefined, onChange: () => undefined },
  })
  await group.start()
  await Promise.all([group.scale('realtime', 2), group.scale('realtime', 1)])
  expect([starts, group.processes().length]).toEqual([2, 1])
  await group.stop()
})
