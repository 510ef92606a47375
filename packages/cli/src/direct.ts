import { create, fromJson, toJson, type JsonValue } from '@bufbuild/protobuf'
import { Code, ConnectError, createClient, type Transport } from '@connectrpc/connect'
import { OperatorService } from '@parley/contracts/internal'
import type { Operator } from './operator.ts'
import { exitCodes, Failure, unreachable } from './failure.ts'
import { runProgram } from './programs.ts'
import { nameOf } from './operator.ts'

/** Environments of the programs that connect to the two databases. */
export type Databases = { accounts: NodeJS.ProcessEnv; admin: NodeJS.ProcessEnv }

/** `blocked`: whether the login of the request is blocked. */
type PolicyAnswer = { policy: JsonValue; blocked: boolean }

/**
 * Only PostgreSQL has to run. Running services receive the changes through the outbox. Throws a {@link Failure} if the
 * call is refused or cannot be made.
 */
export async function callOperatorDirectly<T>(
  databases: Databases,
  use: (operator: Operator) => Promise<T>,
): Promise<T> {
  try {
    return await use(createClient(OperatorService, transportTo(databases)))
  } catch (error) {
    if (error instanceof Failure) throw error
    const { code, rawMessage } = ConnectError.from(error)
    if (code === Code.Unavailable) throw unreachable(`the databases cannot be used: ${rawMessage}`)
    throw new Failure(exitCodes.refused, nameOf(code), rawMessage, { cause: error })
  }
}

/**
 * Each call runs a program of admin, which returns the policy, and then a program of accounts, which does the work.
 */
function transportTo({ accounts, admin }: Databases): Transport {
  const unary: Transport['unary'] = async (method, _signal, _timeoutMs, _header, input) => {
    const request = toJson(method.input, create(method.input, input)) as Record<string, JsonValue>
    const login = typeof request.login === 'string' ? request.login : ''
    const { policy, blocked } = (await runProgram('admin', 'operate', admin, { login })) as PolicyAnswer
    const question = { method: method.name, request, policy, blocked }
    const message = fromJson(method.output, await runProgram('accounts', 'operate', accounts, question))
    const about = { stream: false, service: method.parent, method } as const
    return { ...about, message, header: new Headers(), trailer: new Headers() }
  }
  return { unary, stream: () => Promise.reject(new ConnectError('streaming is not supported', Code.Unimplemented)) }
}
