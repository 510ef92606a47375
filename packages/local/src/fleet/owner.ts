import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { Code, ConnectError, createClient } from '@connectrpc/connect'
import { OperatorService } from '@parley/contracts/internal'
import { connectBus, createRpcClient } from '@parley/rpc'
import type { Secrets } from './secrets.ts'

const pendingKey = 'owner.pendingPassword'
const announcedKey = 'owner.announced'

/** Login, password and e-mail address of the first owner. */
export type OwnerOptions = { login: string; password?: string | undefined; email?: string | undefined }

/**
 * The first owner. `password` is set if this start, or an interrupted earlier one, generated it and it has not been
 * shown.
 */
export type Owner = { login: string; created: boolean; password?: string }

/** The operator's access to the bus. */
export type OperatorAccess = { natsUrl: string; natsUser: string; natsPassword: string }

/**
 * Creates the first owner unless there already is an owner; retries until accounts responds. Until
 * {@link forgetPassword} is called for the first time, a generated password is stored among the secrets, because the
 * response to a successful call can be lost.
 */
export async function bootstrapOwner(
  access: OperatorAccess,
  wanted: OwnerOptions,
  secrets: Secrets,
  signal: AbortSignal,
): Promise<Owner> {
  const interrupted = secrets.peek(pendingKey)
  const password = wanted.password ?? interrupted ?? generatePassword(secrets)
  const created = await createOwner(access, { ...wanted, password }, signal)
  const mustShow = created.created || interrupted !== undefined
  return { ...created, ...(wanted.password === undefined && mustShow ? { password } : {}) }
}

/** Deletes the stored password, once it has been shown: it will never be shown again. */
export function forgetPassword(secrets: Secrets): void {
  secrets.set(announcedKey, 'yes')
  secrets.delete(pendingKey)
}

function generatePassword(secrets: Secrets): string {
  const password = randomBytes(12).toString('hex')
  if (secrets.peek(announcedKey) === undefined) secrets.set(pendingKey, password)
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
