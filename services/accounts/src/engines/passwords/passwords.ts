import { hash, verify } from '@node-rs/argon2'
import { NetworkCounts, networksOf, type Network } from '@parley/redis'
import { tooManyHashings } from '../../errors.ts'

// OWASP's first choice; argon2id is the library's default algorithm.
const owasp = { memoryCost: 19_456, timeCost: 2, parallelism: 1 }
const queueLength = 64
/** Longest part of the queue for one network of any size; the other half is left to others. */
const maxPerNetwork = queueLength / 2

/** On whose behalf a password is hashed: a signed-in user, or the networks of an address. */
export type HashingCaller = { userId: string } | { address: string }

/** Hashes and checks passwords, a few at a time: each takes a core and 19 MiB. */
export type Passwords = {
  /** Throws `resource_exhausted` if too many wait, in total or from the same source. */
  hash: (password: string, caller: HashingCaller) => Promise<string>
  /**
   * Whether the password is correct. Takes equally long without a stored hash, so that timing reveals nothing. Throws
   * like `hash`.
   */
  fits: (password: string, passwordHash: string | undefined, caller: HashingCaller) => Promise<boolean>
}

export async function createPasswords(atOnce: number, cost = owasp): Promise<Passwords> {
  const turn = limiter(atOnce)
  const nobodys = await hash('nobody has this password', cost)
  return {
    hash: (password, caller) => turn(caller, () => hash(password, cost)),
    fits: (password, passwordHash, caller) =>
      turn(caller, async () => {
        const fits = await verify(passwordHash ?? nobodys, password)
        return fits && passwordHash !== undefined
      }),
  }
}

function limiter(atOnce: number): <T>(caller: HashingCaller, work: () => Promise<T>) => Promise<T> {
  let running = 0
  const waiting: (() => void)[] = []
  const waitingOf = new NetworkCounts(maxPerNetwork, maxPerNetwork)
  return async (caller, work) => {
    if (running >= atOnce) {
      const shares = sharesOf(caller)
      if (waiting.length >= queueLength || !waitingOf.take(shares)) throw tooManyHashings()
      await new Promise<void>((resolve) => waiting.push(resolve))
      waitingOf.release(shares)
    } else running++
    try {
      return await work()
    } finally {
      const next = waiting.shift()
      if (next) next()
      else running--
    }
  }
}

const sharesOf = (caller: HashingCaller): Network[] =>
  'userId' in caller ? [{ id: `user ${caller.userId}`, budgetFactor: 1 }] : networksOf(caller.address)
