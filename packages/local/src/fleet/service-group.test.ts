import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from '@jest/globals'
import { eventually } from '../../test/_eventually.ts'
import { dataDirAt, createDataDir } from './data-dir.ts'
import { ServiceGroup } from './service-group.ts'

const folder = mkdtempSync(join(tmpdir(), 'parley-group-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
const main = join(folder, 'main.mjs')
// Runs until it is stopped, and becomes ready only if SERVES is set.
writeFileSync(
  main,
  "for (const event of ['SIGTERM', 'disconnect']) process.on(event, () => process.exit()); if (process.env.SERVES) process.send({ type: 'ready', internalPort: 1 })",
)

test('removing a process that is still starting does not make the call that added it fail', async () => {
  const dir = dataDirAt(folder)
  createDataDir(dir)
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

test('a chosen port that is taken before its process listens is replaced', async () => {
  const dir = dataDirAt(folder)
  createDataDir(dir)
  const [wanted, taken] = [join(folder, 'wanted'), join(folder, 'taken')]
  // This program writes the port that it will use to a file, and listens only after the test has taken the port.
  const uploads = join(folder, 'uploads.mjs')
  writeFileSync(
    uploads,
    `import { existsSync, renameSync, writeFileSync } from 'node:fs'
    import { createServer } from 'node:net'
    for (const event of ['SIGTERM', 'disconnect']) process.on(event, () => process.exit())
    if (!existsSync('${taken}')) {
      writeFileSync('${wanted}.new', process.env.PORT)
      renameSync('${wanted}.new', '${wanted}')
    }
    const url = 'http://127.0.0.1:' + process.env.PORT
    const looking = setInterval(() => {
      if (!existsSync('${taken}')) return
      clearInterval(looking)
      createServer().listen(process.env.PORT, '127.0.0.1', () => process.send({ type: 'ready', internalPort: 1, url }))
    }, 20)`,
  )
  const gateway = join(folder, 'gateway.mjs')
  writeFileSync(
    gateway,
    `for (const event of ['SIGTERM', 'disconnect']) process.on(event, () => process.exit())
    process.send({ type: 'ready', internalPort: 1, url: process.env.UPLOADS })`,
  )
  const said: string[] = []
  const services = [
    { name: 'uploads', main: uploads, portVariables: ['PORT'], listedAs: 'UPLOADS' },
    { name: 'gateway', main: gateway, portVariables: ['PORT'], proxies: true },
  ]
  const group = new ServiceGroup({
    ...{ services, replicas: 1, dir, publicPort: 0, environment: () => ({}) },
    ...{ say: (line: string) => void said.push(line), onChange: () => undefined },
  })
  const other = createServer()
  try {
    const started = group.start()
    await eventually(() => existsSync(wanted))
    const port = Number(readFileSync(wanted, 'utf8'))
    await once(other.listen(port, '127.0.0.1'), 'listening')
    writeFileSync(taken, '')
    await started
    expect(said).toContainEqual(
      expect.stringContaining(`port ${port} of 127.0.0.1, chosen for uploads, has been taken`),
    )
    const [first, second] = group.processes().map(({ url }) => url)
    expect(first).not.toBe(`http://127.0.0.1:${port}`)
    expect(second).toBe(first)
  } finally {
    other.close()
    await group.stop()
  }
})
