import type { Caller } from '@parley/credentials'
import { ConnectError } from '@connectrpc/connect'
import { afterAll, beforeAll } from '@jest/globals'
import {
  connectBus,
  createRpcClient,
  serveRpc,
  type BusOptions,
  type RpcClientOptions,
  type RpcServerOptions,
} from '../src/index.ts'
import { startNats } from './_nats.ts'

/** A bus with clients and servers of a test; disposing it ends them all. */
export async function startFleet(natsSettings?: string) {
  const nats = await startNats(natsSettings)
  const opened: AsyncDisposable[] = [nats]
  const register = <T extends AsyncDisposable>(thing: T): T => {
    opened.push(thing)
    return thing
  }
  const bus = async (options: Partial<BusOptions> = {}) =>
    register(await connectBus({ url: nats.url, name: 'test', purpose: 'rpc', ...options }))
  return {
    nats,
    bus,
    serve: async (options: RpcServerOptions) => register(await serveRpc(await bus(), options)),
    client: async (options: Partial<RpcClientOptions> = {}) =>
      register(createRpcClient(await bus(), { name: 'test', defaultTimeoutMs: 30_000, ...options })),
    async [Symbol.asyncDispose]() {
      for (const thing of opened.reverse()) await thing[Symbol.asyncDispose]()
    },
  }
}

export type Fleet = Awaited<ReturnType<typeof startFleet>>

/** Starts a fleet for the tests of a file; its members exist from `beforeAll` on. */
export function useFleet(natsSettings?: string): Fleet {
  const fleet = {} as Fleet
  beforeAll(async () => void Object.assign(fleet, await startFleet(natsSettings)))
  afterAll(async () => fleet[Symbol.asyncDispose]())
  return fleet
}

export const alice: Caller = {
  userId: 'Ualice000000001',
  credentialId: 'Salice000000001',
  roleIds: ['moderator'],
  freshUntil: new Date('2026-01-01T00:00:00.5Z'),
  expiresAt: new Date('2026-02-01T00:00:00Z'),
  rolesVersion: 7n,
}

/** A stopped clock for client and server, so that no call is late or considered lost on a slow machine. */
export const stoppedClock = { now: () => 0 }

/** Returns the error of a failed call; throws if the call succeeds. */
export async function errorOf(call: Promise<unknown>): Promise<ConnectError> {
  try {
    await call
  } catch (error) {
    if (error instanceof ConnectError) return error
    throw error
  }
  throw new Error('the call succeeded')
}

/** A promise that is settled from outside. */
export function gate(): { readonly opened: Promise<void>; open(): void } {
  const { promise: opened, resolve: open } = Promise.withResolvers<void>()
  return { opened, open: () => open() }
}
