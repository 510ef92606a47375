import { rmSync } from 'node:fs'
import { freePort, startNats } from '@parley/local/infrastructure'
import { keepStream } from '@parley/events'
import { connectBus } from '@parley/rpc'
import { connect } from 'nats'
import { lock } from './locks.ts'
import { type StoppableServer, outageProxy } from '@parley/tooling/outage-proxy'
import { temporaryFolder } from './run-folder.ts'

export type TestNats = StoppableServer & {
  /** Undefined for the server that `PARLEY_TEST_NATS_URL` names. */
  pid(): number | undefined
}

/**
 * Starts a NATS server for this caller alone, because streams are global to a server. It has no users, and a keeper of
 * the event stream runs. If `PARLEY_TEST_NATS_URL` is set, uses that server instead, for one caller at a time, after
 * deleting its streams.
 */
export function testNats(): Promise<TestNats> {
  const given = process.env.PARLEY_TEST_NATS_URL
  return withKeeper(given ? useGivenNats(given) : startOwnNats())
}

/** The server gets a keeper of the event stream, as in a fleet. */
async function withKeeper(starting: Promise<TestNats>): Promise<TestNats> {
  const server = await starting
  const bus = await connectBus({ url: server.url, name: 'admin', purpose: 'events' })
  const keeper = await keepStream(bus)
  return {
    ...server,
    async [Symbol.asyncDispose]() {
      await keeper[Symbol.asyncDispose]()
      await bus[Symbol.asyncDispose]()
      await server[Symbol.asyncDispose]()
    },
  }
}

async function startOwnNats(): Promise<TestNats> {
  const dir = temporaryFolder()
  const port = await freePort()
  const launch = () => startNats({ dir, port })
  let server = await launch()
  return {
    url: server.url,
    pid: () => server.pid,
    stop: () => server.stop(),
    async start() {
      if (!server.isRunning()) server = await launch()
    },
    async [Symbol.asyncDispose]() {
      await server.stop()
      rmSync(dir, { recursive: true, force: true })
    },
  }
}

async function useGivenNats(url: string): Promise<TestNats> {
  const exclusive = await lock('parley-test-nats')
  const nc = await connect({ servers: url })
  const jsm = await nc.jetstreamManager()
  for await (const stream of jsm.streams.list()) await jsm.streams.delete(stream.config.name)
  await nc.close()
  const proxy = await outageProxy(url, 4222)
  return {
    ...proxy,
    pid: () => undefined,
    async [Symbol.asyncDispose]() {
      await proxy[Symbol.asyncDispose]()
      await exclusive[Symbol.asyncDispose]()
    },
  }
}
