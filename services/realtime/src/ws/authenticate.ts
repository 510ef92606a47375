import type { Caller, CredentialDigests } from '@parley/credentials'
import { overloaded, tooManyTrials, type FatalError, type StreamEnd } from '../errors.ts'
import type { ConnectionContext } from './connection-context.ts'

type Hello = {
  /** Digests of the credentials to try, best first. */
  digests: readonly CredentialDigests[]
  address: string
  /** Aborts the wait for a look-up. Called only if it has to wait. */
  signal: () => AbortSignal
}

/** The caller of a hello, or how its socket ends; none of them if no credential is valid. */
type Outcome = {
  caller?: Caller | undefined
  error?: FatalError
  end?: StreamEnd
  /** After how many milliseconds the client may return, if that does not follow from the error. */
  delayMs?: number
}

/** Decides whether a hello is served. Rejects with DependencyUnavailable. */
export async function authenticate(
  { opening, trials, overloadDelayMs }: ConnectionContext,
  { digests, address, signal }: Hello,
): Promise<Outcome> {
  // A recently valid credential is admitted regardless of its network's failures.
  const isKnown = digests.some((one) => opening.remembers(one))
  const trialsWaitMs = isKnown ? 0 : trials.wait(address)
  if (trialsWaitMs > 0) return { error: tooManyTrials, delayMs: Math.round(trialsWaitMs) }
  // A client without credentials is refused without a look-up.
  const delayMs = digests.length === 0 ? undefined : overloadDelayMs(isKnown)
  if (delayMs !== undefined) return { end: overloaded, delayMs }
  const { found: caller, waitMs } = await trials.lookUp({ address, isKnown, signal }, () =>
    opening.authenticate(digests),
  )
  if (waitMs > 0) return { error: tooManyTrials, delayMs: Math.round(waitMs) }
  return { caller }
}
