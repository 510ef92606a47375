import { rmSync } from 'node:fs'
import { freePort, startNats } from '@parley/local/infrastructure'
import { keepStream } from '@parley/events'
import { connectBus } from '@parley/rpc'
import { connect } from 'nats'
import { lock } from './locks.ts'
import { type Outage, outageProxy } from '@parley/tooling/outage-proxy'
import { temporaryFolder } from './run-folder.ts'

/** A NATS server with JetStream. */
export type TestNats = Outage & {
  /** Process id of the server, for tests that freeze it; undefined for a given server. */
  pid(): number | undefined
}

/**
 * Starts a separate NATS server, because streams are global: without users and with a keeper of the event stream, or
 * with the users of the configuration file `conf`. If `PARLEY_TEST_NATS_URL` is set (and `conf` is not), uses that
 * server, for one caller at a time, after emptying it.
 */
export function testNats(options: { conf?: string; env?: NodeJS.ProcessEnv } = {}): Promise<TestNats> {
  const given = process.env.PARLEY_TEST_NATS_URL
  if (options.conf !== undefined) return ownNats(options)
  return withKeeper(given ? givenNats(given) : ownNats(options))
}

/** Runs a keeper of the event stream on the server, as admin does in a fleet. */
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

async function ownNats(options: { conf?: string; env?: NodeJS.ProcessEnv }): Promise<TestNats> {
  const dir = temporaryFolder()
  const port = await freePort()
  const launch = () => startNats({ ...options, dir, port })
  let server = await launch()
  return {
    url: server.url,
    pid: () => server.pid,
    stop: () => server.stop(),
    async start() {
      if (!server.running()) server = await launch()
    },
    async [Symbol.asyncDispose]() {
      await server.stop()
      rmSync(dir, { recursive: true, force: true })
    },
  }
}

async function givenNats(url: string): Promise<TestNats> {
  const turn = await lock('parley-test-nats')
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
      await turn[Symbol.asyncDispose]()
    },
  }
}
