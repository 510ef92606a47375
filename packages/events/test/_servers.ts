import { randomUUID } from 'node:crypto'
import { cpSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll } from '@jest/globals'
import { freePort, startNats } from '@parley/local/infrastructure'
import { migrateDatabase, openDatabase, type Database } from '@parley/postgres'
import { connectBus, type Bus } from '@parley/rpc'
import { newDataFolder } from '@parley/tooling/data-folder'
import { eventually } from '@parley/tooling/eventually'
import { declareStreams, eventStream, keepStream } from '../src/index.ts'
import { requestKeeper } from '../src/keep/requests.ts'

const folder = fileURLToPath(new URL('drizzle', import.meta.url))

export async function newDatabase(): Promise<Database & { url: string }> {
  const url = new URL(process.env.PARLEY_TEST_POSTGRES_URL ?? '')
  url.pathname = `/events_${randomUUID().replaceAll('-', '')}`
  await migrateDatabase({ url: url.href, folder })
  const database = await openDatabase({ url: url.href, pool: 20, name: 'test', connectTimeoutMs: 30_000 })
  return Object.assign(database, { url: url.href })
}

/**
 * A NATS server whose events can be restored to an earlier state. `keeper`: whether a keeper of the stream runs. In a
 * fleet, admin runs it.
 */
export async function newServer({ keeper: hasKeeper = true } = {}) {
  const dir = newDataFolder('parley-events-')
  const events = join(dir, 'store/jetstream/$G/streams', eventStream, 'msgs')
  const copy = join(dir, 'copy')
  const port = await freePort()
  let server = await startNats({ dir, port })
  const keeperBus = await connectBus({ url: server.url, name: 'admin', purpose: 'events' })
  const keeper = hasKeeper ? await keepStream(keeperBus) : undefined
  return {
    url: server.url,
    pid: () => server.pid,
    stop: () => server.stop(),
    async start() {
      server = await startNats({ dir, port })
      if (hasKeeper) await eventually(() => requestKeeper(keeperBus, 'state', {}))
    },
    saveEvents: () => cpSync(events, copy, { recursive: true }),
    /** Restores the events, but not the state of consumers. The server must be stopped. */
    restoreEvents() {
      rmSync(events, { recursive: true })
      cpSync(copy, events, { recursive: true })
    },
    async [Symbol.asyncDispose]() {
      await keeper?.[Symbol.asyncDispose]()
      await keeperBus[Symbol.asyncDispose]()
      await server.stop()
      rmSync(dir, { recursive: true, force: true })
    },
  }
}

export type TestServer = Awaited<ReturnType<typeof newServer>>

export function newBus(server: TestServer, name = 'test'): Promise<Bus> {
  return connectBus({ url: server.url, name, purpose: 'events' })
}

/** Starts one server with a declared stream for the tests of a file, and connects a bus to it. */
export function withStream(onOpen: (stream: { server: TestServer; bus: Bus }) => unknown): void {
  let close: () => Promise<void> = () => Promise.resolve()
  beforeAll(async () => {
    const server = await newServer()
    const bus = await newBus(server)
    close = async () => {
      await bus[Symbol.asyncDispose]()
      await server[Symbol.asyncDispose]()
    }
    await declareStreams(bus)
    onOpen({ server, bus })
  })
  afterAll(() => close())
}
