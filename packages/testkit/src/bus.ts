import { ConnectError, type Interceptor, type Transport } from '@connectrpc/connect'
import type { Caller } from '@parley/credentials'
import { type Bus, connectBus, createRpcClient, type RpcClient, serveRpc, type ServiceRoutes } from '@parley/rpc'

const hourMs = 3_600_000
/** Longer than most timeouts of the product, so that no test fails because the machine stalls briefly. */
const callTimeoutMs = 20_000
const maxAttempts = 20

/** Repeats a call that the server refused because it arrived too late, which happens on slow machines. */
const retryIfLate: Interceptor = (next) => async (request) => {
  for (let tries = 1; ; tries++) {
    try {
      return await next(request)
    } catch (error) {
      const wasLate = ConnectError.from(error).metadata.get('parley-reason') === 'late'
      if (!wasLate || tries === maxAttempts) throw error
    }
  }
}

export type TestBus = AsyncDisposable & { bus: Bus; rpc: RpcClient }

/** `name`: the deployable to act as. It needs no password, because the server of the tests has no users. */
export async function testBus(url: string, name = 'test'): Promise<TestBus> {
  const bus = await connectBus({ url, name, purpose: 'rpc' })
  const rpc = createRpcClient(bus, { name, defaultTimeoutMs: callTimeoutMs, interceptors: [retryIfLate] })
  return {
    bus,
    rpc,
    async [Symbol.asyncDispose]() {
      await rpc[Symbol.asyncDispose]()
      await bus[Symbol.asyncDispose]()
    },
  }
}

export type TestCaller = {
  userId: string
  roleIds?: readonly string[]
  credentialId?: string
  /** Whether the sign-in is recent; default false. */
  fresh?: boolean
  rolesVersion?: bigint
}

/** The caller the gateway would send with a request of that user. */
export function testCaller(who: TestCaller): Caller {
  return {
    userId: who.userId,
    credentialId: who.credentialId ?? 'S00000000000000',
    roleIds: who.roleIds ?? [],
    freshUntil: who.fresh ? new Date(Date.now() + hourMs) : undefined,
    expiresAt: new Date(Date.now() + hourMs),
    rolesVersion: who.rolesVersion ?? 0n,
  }
}

/** Calls are on behalf of the user. */
export function callAs(rpc: RpcClient, who: TestCaller): Transport {
  return rpc.transport({ caller: testCaller(who) })
}

export function serveFakes(bus: Bus, routes: (routes: ServiceRoutes) => void): Promise<AsyncDisposable> {
  // realtime owns no public method, so only what `routes` registers is answered.
  return serveRpc(bus, { deployable: 'realtime', routes })
}
