import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { freePort, startNats } from '@parley/local/infrastructure'
import { connectBus, type Bus } from '@parley/rpc'
import { Resources } from '@parley/runtime'
import { eventually } from '@parley/tooling/eventually'
import { declareStreams, eventStream, keepStream } from '../src/index.ts'
import { newBus, newServer } from './_servers.ts'

const resources = new Resources()
let bus: Bus
let startThird: () => Promise<unknown>

beforeAll(async () => {
  const dir = await mkdtemp(join(tmpdir(), 'parley-cluster-'))
  resources.defer('folder', () => rm(dir, { recursive: true }))
  const ports = await Promise.all([1, 2, 3].map(() => freePort()))
  const routes = ports.map((port) => `nats://127.0.0.1:${port}`).join(', ')
  const start = async (n: number) => {
    const conf = join(dir, `nats-${n}.conf`)
    await writeFile(
      conf,
      `server_name: n${n}\njetstream: { max_file_store: 1GB }\n` +
        `cluster { name: c, listen: "127.0.0.1:${ports[n]}", routes: [ ${routes} ] }\n`,
    )
    const server = await startNats({ dir: join(dir, `nats-${n}`), conf })
    resources.defer('server', () => server.stop())
    return server
  }
  const servers = await Promise.all([start(0), start(1)])
  startThird = () => start(2)
  const url = servers.map((server) => server.url).join(',')
  bus = resources.use(await connectBus({ url, name: 'test', purpose: 'events' }))
})
afterAll(async () => resources[Symbol.asyncDispose]())

const copies = async (on = bus) => {
  const { streams } = await on.nc.jetstreamManager()
  const { config, cluster } = await streams.info(eventStream)
  return { replicas: config.num_replicas, others: cluster?.replicas?.length ?? 0 }
}

test('a single server has one copy of the stream, even if more were requested', async () => {
  await using server = await newServer({ keeper: false })
  await using alone = await newBus(server)
  await using _ = await keepStream(alone, { replicas: 3, maxBytes: 20_000_000 })
  await eventually(async () => expect(await copies(alone)).toEqual({ replicas: 1, others: 0 }))
})

test('a single server loads the stream after a restart, even if more copies were requested', async () => {
  await using server = await newServer({ keeper: false })
  await using alone = await newBus(server)
  await declareStreams(alone)
  const { streams } = await alone.nc.jetstreamManager()
  // Earlier releases requested three copies even of a single server.
  await streams.update(eventStream, { ...(await streams.info(eventStream)).config, num_replicas: 3 })
  await declareStreams(alone, { replicas: 3, maxBytes: 20_000_000 })
  await server.stop()
  await server.start()
  await eventually(async () => expect((await streams.info(eventStream)).config).toMatchObject({ num_replicas: 1 }))
  await declareStreams(alone, { replicas: 3 })
  expect(await copies(alone)).toEqual({ replicas: 1, others: 0 })
})

test('the stream gets the requested number of copies once there are enough servers', async () => {
  {
    await using _ = await keepStream(bus)
    await eventually(async () => expect(await copies()).toEqual({ replicas: 1, others: 0 }))
  }
  await using _ = await keepStream(bus, { replicas: 3, maxBytes: 20_000_000 })
  const { streams } = await bus.nc.jetstreamManager()
  await eventually(async () => expect((await streams.info(eventStream)).config.max_bytes).toBe(20_000_000))
  expect(await copies()).toEqual({ replicas: 1, others: 0 })
  await startThird()
  await eventually(async () => expect(await copies()).toEqual({ replicas: 3, others: 2 }))
})
