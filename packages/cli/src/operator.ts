import { type Client, Code, ConnectError, createClient } from '@connectrpc/connect'
import { OperatorService } from '@parley/contracts/internal'
import type { OperatorAccess } from '@parley/local'
import { type Bus, connectBus, createRpcClient } from '@parley/rpc'
import { exitCodes, Failure, misused, unreachable } from './failure.ts'

export type Operator = Client<typeof OperatorService>

const connectMs = 5_000
/** The bus lets no other user call the methods for operators. */
const busUser = 'operator'

/** Throws a {@link Failure} if the fleet refuses the call or cannot be reached. */
export async function callOperator<T>(access: OperatorAccess, use: (operator: Operator) => Promise<T>): Promise<T> {
  await using bus = await connect(access)
  await using rpc = createRpcClient(bus, { name: access.natsUser, defaultTimeoutMs: 10_000 })
  try {
    return await use(createClient(OperatorService, rpc.transport()))
  } catch (error) {
    const { code, rawMessage } = ConnectError.from(error)
    if (code === Code.Unavailable || code === Code.DeadlineExceeded) {
      throw unreachable(`accounts cannot handle the call now: ${rawMessage}`)
    }
    throw new Failure(exitCodes.refused, nameOf(code), rawMessage, { cause: error })
  }
}

/**
 * Throws a {@link Failure} if the access is that of another user, or if connecting fails or takes more than 5
 * seconds.
 */
export async function connect(access: OperatorAccess): Promise<Bus> {
  if (access.natsUser !== busUser)
    throw misused(
      `this command needs the bus user ${busUser}, not ${access.natsUser}: give PARLEY_NATS_PASSWORD of ${busUser}, and PARLEY_NATS_USER=${busUser} or none`,
    )
  try {
    return await connectBus({
      url: access.natsUrl,
      user: access.natsUser,
      password: access.natsPassword,
      name: access.natsUser,
      purpose: 'rpc',
      signal: AbortSignal.timeout(connectMs),
    })
  } catch {
    throw unreachable(`cannot connect to the fleet's bus at ${access.natsUrl}; is the fleet still running?`)
  }
}

export function nameOf(code: Code): string {
  return Code[code].replaceAll(/(?<!^)[A-Z]/g, (letter) => `_${letter}`).toLowerCase()
}
