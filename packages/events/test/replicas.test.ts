import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { freePort, startNats } from '@parley/local/infrastructure'
import { connectBus, type Bus } from '@parley/rpc'
import { Resources } from '@parley/runtime'
import { eventStream, keepStream } from '../src/index.ts'
import { eventually } from './_eventually.ts'

const opened = new Resources()
let bus: Bus

beforeAll(async () => {
  const dir = await mkdtemp(join(tmpdir(), 'parley-cluster-'))
  opened.defer('folder', () => rm(dir, { recursive: true }))
  const ports = await Promise.all([1, 2, 3].map(() => freePort()))
  const routes = ports.map((port) => `nats://127.0.0.1:${port}`).join(', ')
  const servers = await Promise.all(
    ports.map(async (port, n) => {
      const conf = join(dir, `nats-${n}.conf`)
      await writeFile(
        conf,
        `server_name: n${n}\njetstream: { max_file_store: 1GB }\n` +
          `cluster { name: c, listen: "127.0.0.1:${port}", routes: [ ${routes} ] }\n`,
      )
      return startNats({ dir: join(dir, `nats-${n}`), conf })
    }),
  )
  for (const server of servers) opened.defer('server', () => server.stop())
  const url = servers.map((server) => server.url).join(',')
  bus = opened.use(await connectBus({ url, name: 'test', purpose: 'events' }))
})
afterAll(async () => opened[Symbol.asyncDispose]())

const copies = async () => {
  const { streams } = await bus.nc.jetstreamManager()
  const { config, cluster } = await streams.info(eventStream)
  return { replicas: config.num_replicas, others: cluster?.replicas?.length ?? 0 }
}

test('the stream has as many copies as it is said to, also when that is said later', async () => {
  {
    await using _ = await keepStream(bus)
    await eventually(async () => expect(await copies()).toEqual({ replicas: 1, others: 0 }))
  }
  await using _ = await keepStream(bus, { replicas: 3 })
  await eventually(async () => expect(await copies()).toEqual({ replicas: 3, others: 2 }))
})
