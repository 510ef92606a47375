import { randomUUID } from 'node:crypto'
import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { freePort, startNats } from '@parley/local/infrastructure'
import { migrateDatabase, openDatabase, type Database } from '@parley/postgres'
import { connectBus, type Bus } from '@parley/rpc'

const folder = fileURLToPath(new URL('drizzle', import.meta.url))

/** A database of its own with the tables of this package, and how others reach it. */
export async function newDatabase(): Promise<Database & { url: string }> {
  const url = new URL(process.env.PARLEY_TEST_POSTGRES_URL ?? '')
  url.pathname = `/events_${randomUUID().replaceAll('-', '')}`
  await migrateDatabase({ url: url.href, folder })
  return Object.assign(await openDatabase({ url: url.href, pool: 20, name: 'test' }), { url: url.href })
}

/** A NATS server whose store can be put back to an earlier state. */
export type TestServer = AsyncDisposable & {
  url: string
  pid(): number
  stop(): Promise<void>
  start(): Promise<void>
  /** Copies the store as it is; the server must be stopped. */
  saveStore(): void
  /** Puts the copy in the place of the store; the server must be stopped. */
  restoreStore(): void
}

export async function newServer(): Promise<TestServer> {
  const dir = mkdtempSync(join(tmpdir(), 'parley-events-'))
  const store = join(dir, 'store')
  const copy = join(dir, 'copy')
  const port = await freePort()
  let server = await startNats({ dir, port })
  return {
    url: server.url,
    pid: () => server.pid,
    stop: () => server.stop(),
    async start() {
      server = await startNats({ dir, port })
    },
    saveStore: () => cpSync(store, copy, { recursive: true }),
    restoreStore() {
      rmSync(store, { recursive: true })
      cpSync(copy, store, { recursive: true })
    },
    async [Symbol.asyncDispose]() {
      await server.stop()
      rmSync(dir, { recursive: true, force: true })
    },
  }
}

/** A connection for events. */
export function newBus(server: TestServer, name = 'test'): Promise<Bus> {
  return connectBus({ url: server.url, name, purpose: 'events' })
}
