import type { Caller, CredentialDigests } from '@parley/credentials'
import { overloaded, tooManyUnauthenticated, type FatalError, type StreamEnd } from '../errors.ts'
import type { ConnectionContext } from './connection-context.ts'

type Hello = {
  digests: readonly CredentialDigests[]
  address: string
  /** Aborts the wait for a look-up. Called only if the hello has to wait. */
  signal: () => AbortSignal
}

/** If `caller`, `error` and `end` are all undefined, no credential is valid. */
type Outcome = {
  caller?: Caller | undefined
  error?: FatalError
  end?: StreamEnd
  delayMs?: number
}

/** Rejects with DependencyUnavailable if the credential cannot be checked. */
export async function authenticate(
  { opener, credentialAttempts, overloadDelayMs }: ConnectionContext,
  { digests, address, signal }: Hello,
): Promise<Outcome> {
  // A known credential is looked up regardless of failures in its network.
  const isKnown = digests.some((one) => opener.wasValid(one))
  const blockedMs = isKnown ? 0 : credentialAttempts.wait(address)
  if (blockedMs > 0) return { error: tooManyUnauthenticated, delayMs: Math.round(blockedMs) }
  // A client without credentials is refused without a look-up.
  const delayMs = digests.length === 0 ? undefined : overloadDelayMs(isKnown)
  if (delayMs !== undefined) return { end: overloaded, delayMs }
  const { found: caller, waitMs } = await credentialAttempts.lookUp({ address, isKnown, signal }, () =>
    opener.authenticate(digests),
  )
  if (waitMs > 0) return { error: tooManyUnauthenticated, delayMs: Math.round(waitMs) }
  return { caller }
}
