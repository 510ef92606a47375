import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { Code, ConnectError, createClient } from '@connectrpc/connect'
import { OperatorService } from '@parley/contracts/internal'
import { connectBus, createRpcClient } from '@parley/rpc'
import type { Secrets } from './secrets.ts'

const pending = 'owner.pendingPassword'
const done = 'owner.announced'

/** Login, password and address of the first owner. */
export type OwnerOptions = { login: string; password?: string | undefined; email?: string | undefined }

/**
 * The first owner. `password` is set if this start, or an interrupted earlier one, generated it and it has not been
 * shown.
 */
export type Owner = { login: string; created: boolean; password?: string }

/** The operator's access to the bus. */
export type OperatorAccess = { natsUrl: string; natsUser: string; natsPassword: string }

/**
 * Creates the first owner unless there is one, retrying until accounts answers. Until {@link announced}, a generated
 * password is kept among the secrets, because the response to a successful call can be lost.
 */
export async function bootstrapOwner(
  access: OperatorAccess,
  wanted: OwnerOptions,
  secrets: Secrets,
  signal: AbortSignal,
): Promise<Owner> {
  const interrupted = secrets.peek(pending)
  const password = wanted.password ?? interrupted ?? madeUp(secrets)
  const answer = await createOwner(access, { ...wanted, password }, signal)
  const news = answer.created || interrupted !== undefined
  return { ...answer, ...(wanted.password === undefined && news ? { password } : {}) }
}

/** Call it once the owner's password has been shown: it is no longer stored, and never shown again. */
export function announced(secrets: Secrets): void {
  secrets.set(done, 'yes')
  secrets.delete(pending)
}

function madeUp(secrets: Secrets): string {
  const password = randomBytes(12).toString('hex')
  if (secrets.peek(done) === undefined) secrets.set(pending, password)
  return password
}

async function createOwner(access: OperatorAccess, owner: OwnerOptions & { password: string }, signal: AbortSignal) {
  await using bus = await connectBus({
    url: access.natsUrl,
    user: access.natsUser,
    password: access.natsPassword,
    name: 'operator',
    purpose: 'rpc',
    signal,
  })
  await using rpc = createRpcClient(bus, { name: 'operator' })
  const operator = createClient(OperatorService, rpc.transport())
  for (;;) {
    try {
      const { created, login } = await operator.bootstrapOwner({
        login: owner.login,
        password: owner.password,
        email: owner.email ?? '',
      })
      return { created, login }
    } catch (error) {
      const { code, rawMessage } = ConnectError.from(error)
      if (code !== Code.Unavailable && code !== Code.DeadlineExceeded) {
        throw new Error(`the first owner could not be created: ${rawMessage}`)
      }
      await sleep(250, undefined, { signal })
    }
  }
}
