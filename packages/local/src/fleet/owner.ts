import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { Code, ConnectError, createClient } from '@connectrpc/connect'
import { OperatorService } from '@parley/contracts/internal'
import { connectBus, createRpcClient } from '@parley/rpc'
import type { Secrets } from './secrets.ts'

const pendingKey = 'owner.pendingPassword'
const forgottenKey = 'owner.announced'

export type OwnerOptions = { login: string; password?: string | undefined; email?: string | undefined }

/** `password`: a password that this start or an earlier one generated, and that has not been shown yet. */
export type Owner = { login: string; created: boolean; password?: string }

export type OperatorAccess = { natsUrl: string; natsUser: string; natsPassword: string }

/**
 * Creates the first owner unless there already is an owner; retries until the service `accounts` responds. Until
 * {@link forgetPassword} is called for the first time, a generated password is stored among the secrets, because the
 * response to a successful call can be lost.
 */
export function bootstrapOwner(
  access: OperatorAccess,
  wanted: OwnerOptions,
  secrets: Secrets,
  signal: AbortSignal,
): Promise<Owner> {
  return ensureOwner(wanted, secrets, (owner) => createOwner(access, owner, signal))
}

type Created = { created: boolean; login: string; repeated: boolean }

export async function ensureOwner(
  wanted: OwnerOptions,
  secrets: Secrets,
  create: (owner: OwnerOptions & { password: string }) => Promise<Created>,
): Promise<Owner> {
  const interrupted = secrets.peek(pendingKey)
  const password = wanted.password ?? interrupted ?? generatePassword(secrets)
  const { created, login, repeated } = await create({ ...wanted, password })
  const isGenerated = wanted.password === undefined
  // A stored password that cannot be the owner's must not be shown by a later start.
  const mayKeepStored = isGenerated ? created || repeated || interrupted !== undefined : !created
  if (!mayKeepStored) forgetPassword(secrets)
  const mustShow = created || secrets.peek(pendingKey) !== undefined
  return { created, login, ...(isGenerated && mustShow ? { password } : {}) }
}

/**
 * Deletes the stored password; no later start stores one again. To be called when the password has been shown, or if it
 * is not the owner's.
 */
export function forgetPassword(secrets: Secrets): void {
  secrets.set(forgottenKey, 'yes')
  secrets.delete(pendingKey)
}

function generatePassword(secrets: Secrets): string {
  const password = randomBytes(12).toString('hex')
  if (secrets.peek(forgottenKey) === undefined) secrets.set(pendingKey, password)
  return password
}

async function createOwner(
  access: OperatorAccess,
  owner: OwnerOptions & { password: string },
  signal: AbortSignal,
): Promise<Created> {
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
  for (let repeated = false; ; repeated = true) {
    try {
      const { created, login } = await operator.bootstrapOwner({
        login: owner.login,
        password: owner.password,
        email: owner.email ?? '',
      })
      return { created, login, repeated }
    } catch (error) {
      const { code, rawMessage } = ConnectError.from(error)
      if (code !== Code.Unavailable && code !== Code.DeadlineExceeded) {
        throw new Error(`the first owner could not be created: ${rawMessage}`)
      }
      await sleep(250, undefined, { signal })
    }
  }
}
