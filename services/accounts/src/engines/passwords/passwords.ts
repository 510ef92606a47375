import { hash, verify } from '@node-rs/argon2'
import { NetworkCounts, networksOf, type Network } from '@parley/redis'
import { tooManyHashings } from '../../errors.ts'

// OWASP's first choice; argon2id is the library's default algorithm.
const owasp = { memoryCost: 19_456, timeCost: 2, parallelism: 1 }
const queueLength = 64
/** A signed-in user, and each network that {@link networksOf} returns, may fill only half of the queue. */
const maxPerCaller = queueLength / 2

export type HashingCaller = { userId: string } | { address: string }

/** At most `maxConcurrent` hashings run at a time, because each takes a core and 19 MiB. */
export type Passwords = {
  /** Throws `resource_exhausted` if too many hashings are waiting, in total or for this user or network. */
  hash: (password: string, caller: HashingCaller) => Promise<string>
  /**
   * False without `passwordHash`, but only after the same time, so that the time does not reveal this. Throws like
   * `hash`.
   */
  matches: (password: string, passwordHash: string | undefined, caller: HashingCaller) => Promise<boolean>
}

export async function createPasswords(maxConcurrent: number, cost = owasp): Promise<Passwords> {
  const runLimited = createLimiter(maxConcurrent)
  const dummyHash = await hash('nobody has this password', cost)
  return {
    hash: (password, caller) => runLimited(caller, () => hash(password, cost)),
    matches: (password, passwordHash, caller) =>
      runLimited(caller, async () => {
        const matches = await verify(passwordHash ?? dummyHash, password)
        return matches && passwordHash !== undefined
      }),
  }
}

function createLimiter(maxConcurrent: number): <T>(caller: HashingCaller, work: () => Promise<T>) => Promise<T> {
  let running = 0
  const waiting: (() => void)[] = []
  const waitingOf = new NetworkCounts(maxPerCaller, maxPerCaller)
  return async (caller, work) => {
    if (running >= maxConcurrent) {
      const networks = countedNetworks(caller)
      if (waiting.length >= queueLength || !waitingOf.take(networks)) throw tooManyHashings()
      await new Promise<void>((resolve) => waiting.push(resolve))
      waitingOf.release(networks)
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

const countedNetworks = (caller: HashingCaller): Network[] =>
  'userId' in caller ? [{ id: `user ${caller.userId}`, budgetFactor: 1 }] : networksOf(caller.address)
